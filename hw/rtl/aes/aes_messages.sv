// SPDX-License-Identifier: Apache-2.0
// The messages that an AES engine interleaves, and how their blocks come from memory and go there. Between
// aes_descriptor_fetch, aes_cipher, aes_bus and aes_completions.
//
//   aes_descriptor_fetch --> aes_message 0, 1, ... --> ended_o
//                             ^     | ^ cipher  |
//    AXI4 --> aes_reader -----+     v |         +--> aes_writer --> AXI4
//
//   cycle             0    1    2    3
//   fragment_valid_i  F    F    F    -      until fragment_ready_o
//   messages' ready   1
//   ready_q                1                messages lie apart: what they say, and what they are told, are flip-flops
//   begins_q                    1           the message it names takes it; fragment_ready_o
//   empty_o                          1      of the slot that it loads, if it is a key
//
// Contract    Fragments come three cycles and more apart. A fragment goes to the message it names; one whose key is on its way
//             keeps every other from beginning. One that was refused (status_i is not Ok) goes the same way, and ends there
//             with that status. A stray one waits until no message has anything under way, and breaks all of them.
//             A key's slot is emptied when the key begins (empty_o), so if the load fails, or was refused, nothing behind it
//             is done with the key before.
//             wipe_i: see aes_message; it reaches one after the other, so that no wire goes to all, and wiping_o is high
//             until it has ended everywhere. quiet_o: nothing is under way here any more.
// Parameters  FifoLog2: see aes_message. BusWidth, MaxBeats: see aes_reader.
module aes_messages
  import aes_descriptor_pkg::*;
  import aes_engine_pkg::*;
  import bus_pkg::*;
#(
  parameter int unsigned Messages = 4,
  parameter int unsigned KeySlots = 4,
  parameter int unsigned FifoLog2 = 5,
  parameter int unsigned BusWidth = 64,
  parameter int unsigned MaxBeats = 64
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        wipe_i,

  input  logic                        fragment_valid_i,
  output logic                        fragment_ready_o,
  input  aes_descriptor_t             fragment_i,
  input  aes_status_e                 status_i,        // with which it is refused, or Ok
  input  logic                        stray_i,         // nobody knows which message it is of
  input  logic [15:0]                 index_i,
  input  logic [KeySlots-1:0]         slot_full_i,
  output logic [KeySlots-1:0]         empty_o,         // pulses

  output to_cipher_t [Messages-1:0]   cipher_o,
  input  logic [Messages-1:0]         cipher_ready_i,
  input  logic [Messages-1:0]         key_next_i,
  input  logic [Messages-1:0]         key_end_i,
  input  from_cipher_t [Messages-1:0] results_i,

  output axi_request_t                m_axi_o,         // blocks, by aes_reader and aes_writer
  output logic [BusWidth-1:0]         m_axi_wdata_o,
  output logic [BusWidth/8-1:0]       m_axi_wstrb_o,
  input  axi_response_t               m_axi_i,
  input  logic [BusWidth-1:0]         m_axi_rdata_i,

  output ended_t [Messages-1:0]       ended_o,
  input  logic [Messages-1:0]         ended_ready_i,

  output logic [5:0]                  busy_o,          // messages with a fragment under way
  output logic                        data_fault_o,    // pulse
  output logic                        wiping_o,
  output logic                        quiet_o
);

  localparam int unsigned SlotWidth = KeySlots > 1 ? $clog2(KeySlots) : 1;

  logic [Messages-1:0]            idle, key_under_way, message_ready, ready_q, begins_q;
  logic                           key_under_way_q, may_begin, breaks;
  logic [Messages-1:0]            group_valid, group_ready, group_end, block_valid;
  logic [Messages-1:0][63:0]      source, destination;
  logic [Messages-1:0][4:0]       group_blocks, write_blocks;
  aes_pkg::block_t                read_block;
  logic                           group_failed, write_failed, reader_quiet, writer_busy;
  aes_pkg::block_t [Messages-1:0] write_block;
  logic [Messages-1:0]            write_valid, write_ready, write_next, write_end;

  always_comb begin
    busy_o = '0;
    for (int unsigned m = 0; m < Messages; m++) busy_o += 6'(!idle[m]);
  end
  assign fragment_ready_o = begins_q != '0;
  assign may_begin        = !key_under_way_q && (!stray_i || ready_q == '1);
  assign breaks           = fragment_ready_o && stray_i && !fragment_i.load_key;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_under_way_q <= 1'b0;
      ready_q         <= '0;
      begins_q        <= '0;
      empty_o         <= '0;
    end else begin
      key_under_way_q <= key_under_way != '0;
      ready_q         <= message_ready;
      // SEC_CM: KEY.IN_ORDER
      for (int unsigned s = 0; s < KeySlots; s++) begin
        empty_o[s] <= fragment_ready_o && fragment_i.load_key && 32'(fragment_i.slot) == s;
      end
      for (int unsigned m = 0; m < Messages; m++) begin
        // SEC_CM: KEY.IN_ORDER
        begins_q[m] <= fragment_valid_i && !fragment_ready_o && may_begin && ready_q[m] && 32'(fragment_i.message) == m;
      end
    end
  end
  assign data_fault_o     = (group_end != '0 && group_failed) || (write_end != '0 && write_failed);
  assign quiet_o          = idle == '1 && reader_quiet && !writer_busy;

  logic [Messages:0] wipes_q;  // of each message; of reader and writer
  assign wiping_o = wipes_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipes_q <= '1;
    else wipes_q <= {wipes_q[Messages-1:0], wipe_i};
  end

  // The bus: the reader's half, the writer's half
  axi_read_request_t   read_request;
  axi_read_response_t  read_response;
  axi_write_request_t  write_request;
  axi_write_response_t write_response;
  assign m_axi_o                         = {read_request, write_request};
  assign {read_response, write_response} = m_axi_i;

  aes_reader #(
    .Messages(Messages),
    .BusWidth(BusWidth),
    .MaxBeats(MaxBeats)
  ) u_reader (
    .clk_i,
    .rst_ni,
    .wipe_i       (wipes_q[Messages]),
    .quiet_o      (reader_quiet),
    .valid_i      (group_valid),
    .ready_o      (group_ready),
    .address_i    (source),
    .blocks_i     (group_blocks),
    .end_o        (group_end),
    .failed_o     (group_failed),
    .block_valid_o(block_valid),
    .block_o      (read_block),
    .m_axi_o      (read_request),
    .m_axi_i      (read_response),
    .m_axi_rdata_i
  );

  for (genvar m = 0; m < Messages; m++) begin : gen_message
    aes_message #(
      .Log2(FifoLog2)
    ) u_message (
      .clk_i,
      .rst_ni,
      .wipe_i          (wipes_q[m]),
      .ready_o         (message_ready[m]),
      .begins_i        (begins_q[m]),
      .breaks_i        (breaks),
      .fragment_i,
      .status_i,
      .index_i,
      .slot_full_i     (slot_full_i[fragment_i.slot[SlotWidth-1:0]]),
      .read_valid_o    (group_valid[m]),
      .read_ready_i    (group_ready[m]),
      .read_address_o  (source[m]),
      .read_blocks_o   (group_blocks[m]),
      .read_end_i      (group_end[m]),
      .in_valid_i      (block_valid[m]),
      .in_block_i      (read_block),
      .cipher_o        (cipher_o[m]),
      .cipher_ready_i  (cipher_ready_i[m]),
      .key_next_i      (key_next_i[m]),
      .key_end_i       (key_end_i[m]),
      .result_i        (results_i[m]),
      .write_valid_o   (write_valid[m]),
      .write_ready_i   (write_ready[m]),
      .write_address_o (destination[m]),
      .write_blocks_o  (write_blocks[m]),
      .write_end_i     (write_end[m]),
      .write_block_o   (write_block[m]),
      .write_next_i    (write_next[m]),
      .failed_i        ((group_end[m] && group_failed) || (write_end[m] && write_failed)),
      .ended_o         (ended_o[m]),
      .ended_ready_i   (ended_ready_i[m]),
      .idle_o          (idle[m]),
      .key_o           (key_under_way[m])
    );
  end

  aes_writer #(
    .Messages(Messages),
    .BusWidth(BusWidth),
    .MaxBeats(MaxBeats)
  ) u_writer (
    .clk_i,
    .rst_ni,
    .wipe_i   (wipes_q[Messages]),
    .busy_o   (writer_busy),
    .valid_i  (write_valid),
    .ready_o  (write_ready),
    .address_i(destination),
    .blocks_i (write_blocks),
    .block_i  (write_block),
    .next_o   (write_next),
    .end_o    (write_end),
    .failed_o (write_failed),
    .m_axi_o  (write_request),
    .m_axi_wdata_o,
    .m_axi_wstrb_o,
    .m_axi_i  (write_response)
  );

endmodule
