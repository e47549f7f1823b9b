// SPDX-License-Identifier: Apache-2.0
// The messages that an AES engine interleaves, and how their blocks come from memory and go there. Between
// aes_descriptor_fetch, aes_cipher, aes_bus and aes_completions.
//
//   aes_descriptor_fetch --> aes_message 0, 1, ... --> ended_o
//                             ^     | ^ cipher  |
//             aes_reader -----+     v |         +--> aes_writer
//
// Contract    A fragment goes to the message it names; one whose key is on its way keeps every other from beginning.
//             wipe_i: see aes_message; quiet_o: nothing is under way here any more.
module aes_messages
  import aes_descriptor_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter int unsigned Messages = 4,
  parameter int unsigned KeySlots = 4
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        wipe_i,

  input  logic                        fragment_valid_i,
  output logic                        fragment_ready_o,
  input  aes_descriptor_t             fragment_i,
  input  logic [15:0]                 index_i,
  input  logic [KeySlots-1:0]         slot_full_i,

  output to_cipher_t [Messages-1:0]   cipher_o,
  input  logic [Messages-1:0]         cipher_ready_i,
  input  logic [Messages-1:0]         key_end_i,
  input  from_cipher_t [Messages-1:0] results_i,

  output command_t                    read_o,          // groups of blocks, by aes_reader
  input  logic                        read_ready_i,
  input  read_word_t                  read_word_i,
  output command_t                    write_o,         // and by aes_writer
  input  logic                        write_ready_i,
  output write_word_t                 write_word_o,
  input  logic                        write_word_ready_i,
  input  logic                        write_done_i,
  input  logic                        write_error_i,
  input  logic                        beat_valid_i,
  input  logic                        beat_ready_i,
  input  logic [7:0]                  beat_strobe_i,
  output logic [7:0]                  strobe_o,

  output ended_t [Messages-1:0]       ended_o,
  input  logic [Messages-1:0]         ended_ready_i,

  output logic [5:0]                  busy_o,          // messages with a fragment under way
  output logic                        data_fault_o,    // pulse
  output logic                        quiet_o
);

  localparam int unsigned SlotWidth = KeySlots > 1 ? $clog2(KeySlots) : 1;

  logic [Messages-1:0]            idle, key_under_way, begins, message_ready;
  logic [Messages-1:0]            group_valid, group_ready, group_end, block_valid;
  logic [Messages-1:0][63:0]      source, destination;
  logic [Messages-1:0][4:0]       group_blocks, write_blocks;
  aes_pkg::block_t                read_block;
  logic                           group_failed, write_failed, reader_quiet, writer_busy;
  aes_pkg::block_t [Messages-1:0] write_block;
  logic [Messages-1:0]            write_valid, write_ready, write_next, write_end;

  always_comb begin
    begins = '0;
    busy_o = '0;
    for (int unsigned m = 0; m < Messages; m++) begin
      begins[m] = fragment_valid_i && key_under_way == '0 && 32'(fragment_i.message) == m;
      busy_o += 6'(!idle[m]);
    end
  end
  assign fragment_ready_o = (begins & message_ready) != '0;
  assign data_fault_o     = (group_end != '0 && group_failed) || (write_end != '0 && write_failed);
  assign quiet_o          = idle == '1 && reader_quiet && !writer_busy;

  aes_reader #(
    .Messages(Messages)
  ) u_reader (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .quiet_o          (reader_quiet),
    .valid_i          (group_valid),
    .ready_o          (group_ready),
    .address_i        (source),
    .blocks_i         (group_blocks),
    .end_o            (group_end),
    .failed_o         (group_failed),
    .block_valid_o    (block_valid),
    .block_o          (read_block),
    .command_valid_o  (read_o.valid),
    .command_ready_i  (read_ready_i),
    .command_address_o(read_o.address),
    .command_words_o  (read_o.words),
    .read_valid_i     (read_word_i.valid),
    .read_data_i      (read_word_i.data),
    .read_last_i      (read_word_i.last),
    .read_error_i     (read_word_i.error)
  );

  for (genvar m = 0; m < Messages; m++) begin : gen_message
    to_cipher_t offer;
    ended_t     ended;
    assign cipher_o[m] = offer;
    assign ended_o[m]  = ended;

    aes_message u_message (
      .clk_i,
      .rst_ni,
      .wipe_i,
      .fragment_valid_i(begins[m]),
      .fragment_ready_o(message_ready[m]),
      .fragment_i,
      .index_i,
      .slot_full_i     (slot_full_i[fragment_i.slot[SlotWidth-1:0]]),
      .read_valid_o    (group_valid[m]),
      .read_ready_i    (group_ready[m]),
      .read_address_o  (source[m]),
      .read_blocks_o   (group_blocks[m]),
      .read_end_i      (group_end[m]),
      .in_valid_i      (block_valid[m]),
      .in_block_i      (read_block),
      .key_valid_o     (offer.key),
      .key_end_i       (key_end_i[m]),
      .cipher_valid_o  (offer.valid),
      .cipher_ready_i  (cipher_ready_i[m]),
      .cipher_first_o  (offer.first),
      .slot_o          (offer.slot),
      .iv_o            (offer.iv),
      .block_o         (offer.block),
      .result_valid_i  (results_i[m].valid),
      .result_refused_i(results_i[m].refused),
      .result_i        (results_i[m].block),
      .write_valid_o   (write_valid[m]),
      .write_ready_i   (write_ready[m]),
      .write_address_o (destination[m]),
      .write_blocks_o  (write_blocks[m]),
      .write_end_i     (write_end[m]),
      .write_block_o   (write_block[m]),
      .write_next_i    (write_next[m]),
      .failed_i        ((group_end[m] && group_failed) || (write_end[m] && write_failed)),
      .failed_status_i (AesBusFault),
      .done_valid_o    (ended.valid),
      .done_ready_i    (ended_ready_i[m]),
      .status_o        (ended.status),
      .index_o         (ended.index),
      .tag_o           (ended.tag),
      .marked_o        (ended.marked),
      .cycles_o        (ended.cycles),
      .idle_o          (idle[m]),
      .key_o           (key_under_way[m])
    );
  end

  aes_writer #(
    .Messages(Messages)
  ) u_writer (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .busy_o           (writer_busy),
    .valid_i          (write_valid),
    .ready_o          (write_ready),
    .address_i        (destination),
    .blocks_i         (write_blocks),
    .block_i          (write_block),
    .next_o           (write_next),
    .end_o            (write_end),
    .failed_o         (write_failed),
    .command_valid_o  (write_o.valid),
    .command_ready_i  (write_ready_i && write_o.valid),
    .command_address_o(write_o.address),
    .command_words_o  (write_o.words),
    .write_valid_o    (write_word_o.valid),
    .write_ready_i    (write_word_ready_i),
    .write_data_o     (write_word_o.data),
    .write_done_i,
    .write_error_i,
    .beat_valid_i,
    .beat_ready_i,
    .beat_strobe_i,
    .strobe_o
  );

endmodule
