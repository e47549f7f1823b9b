// SPDX-License-Identifier: Apache-2.0
// An AES-CBC engine: registers, descriptor rings and DMA in front of aes_cbc_encrypt or aes_cbc_decrypt.
//
//   AXI4-Lite -- ring_control                              aes_cipher
//                   |                                      |  ^     ^ keys
//   AXI4 <-- aes_bus ---> aes_descriptor_fetch --> aes_messages        refused descriptors too: they wait their turn
//              | |                                 ^   |   |
//              | +------ blocks, a beat a cycle ---+---+   |
//              +----< aes_completions <------ status ------+
//
// Registers, rings and completions are those of the RSA accelerator (docs/integration.md), from the same modules of
// hw/rtl/bus; what a descriptor says is in aes_descriptor_pkg. CAPABILITY_CORES.cores is Messages,
// CAPABILITY_ARITHMETIC.max_bits 0 (no RSA), CAPABILITY_MONTGOMERY.r_step 0 for encryption and 1 for decryption, its
// operand_words the words that keys have beyond four.
//
// A fragment of one block, encrypted:
//
//   bus         tail  descr. AR     block           result  compl.
//   cipher                                  block
//   irq_o                                                           if its descriptor is marked
//
// Contract    Every descriptor read ends in exactly one completion, whose order is that of the fragments' ends: in order
//             within a message. After a completion other than Ok the message is broken until a fragment that is first;
//             what the fragment's destination then holds is not defined, but no plaintext or ciphertext of another key
//             or message. A descriptor that could not be read, or names no message, ends behind all before it, and breaks all
//             messages, as it may have been of any; not if it was read and is a key's.
//             A key is loaded behind the fragments before it in the ring of its message, and no descriptor behind it begins
//             before it is there. If its descriptor is refused, or its source cannot be read, its slot is empty. A descriptor
//             that could not be read counts as no key's.
//             CONTROL.zeroise, and reset: keys, states, IVs and blocks are dropped at once and overwritten. What was read of
//             the ring by then, a key among it, ends in EmptySlot, and no more is read; STATUS.zeroising until that is done
//             and all completions are written.
//             The bus carries a block in 128 / BusWidth beats each way, with one more for a group of 16 that is not aligned.
// Parameters  Decrypt: the way it goes. KeyBits 128, 192 or 256. Messages: interleaved ones, each with a round unit; 1 to 4, of decryption 1.
//             Stages, Table: see the ciphers. KeySlots 1 to 16. BusWidth 64 or 128. MaxBeats: longest burst, a power of two
//             up to 256, of 128 bits at least 2.
module aes_core
  import bus_pkg::*;
  import ring_control_pkg::*;
  import aes_descriptor_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter bit          Decrypt  = 1'b0,
  parameter int unsigned KeyBits  = 128,
  parameter int unsigned Messages = 4,
  parameter int unsigned Stages   = 10,
  parameter int unsigned KeySlots = 4,
  parameter int unsigned BusWidth = 64,
  parameter int unsigned MaxBeats = 64,
  parameter bit          Table    = 1'b1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  axil_request_t         s_axil_i,
  output axil_response_t        s_axil_o,

  output axi_request_t          m_axi_o,
  output logic [BusWidth-1:0]   m_axi_wdata_o,
  output logic [BusWidth/8-1:0] m_axi_wstrb_o,
  input  axi_response_t         m_axi_i,
  input  logic [BusWidth-1:0]   m_axi_rdata_i,

  output logic [2:0]            irq_o           // completion, idle, error; levels
);

  if (Messages < 1 || Messages > 4 || (Decrypt && Messages != 1)) begin : gen_bad_messages
    $fatal(1, "aes_core: Messages must be 1 to 4, and 1 of decryption");
  end

  // Registers, and the state of the rings
  ring_settings_t settings;
  ring_state_t    state;
  ring_events_t   events;
  logic           restarts, restart, zeroise, wipe, messages_wiping;
  logic [5:0]     busy;

  ring_control #(
    .Capability('{cores: 8'(Messages), key_slots: 8'(KeySlots), in_flight: 8'(Messages + 1), stream: 1'b0,
                  bus_width: 2'($clog2(BusWidth / 32)), max_bits: '0, word_bits: '0,
                  rows: 8'(Decrypt ? Stages : Messages), r_step: 16'(Decrypt), operand_words: 16'(KeyBits / 32 - 4)})
  ) u_control (
    .clk_i,
    .rst_ni,
    .s_axil_i,
    .s_axil_o,
    .settings_o (settings),
    .state_i    (state),
    .events_i   (events),
    .restart_o  (restarts),
    .zeroise_o  (zeroise),
    .zeroising_i(wipe || messages_wiping),
    .busy_i     (busy),
    .irq_o
  );

  // Rings that are disabled may begin anew a cycle later: what says so comes through all that may be under way
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) restart <= 1'b0;
    else restart <= restarts;
  end

  // The bus
  command_t              fetch, completion;
  read_word_t            descriptor_word;
  write_word_t           completion_word;
  logic                  fetch_ready, completion_ready, completion_word_ready, completion_done, completion_end;
  logic                  completion_error;
  axi_request_t          blocks;
  axi_response_t         blocks_answer;
  logic [BusWidth-1:0]   blocks_wdata, blocks_rdata;
  logic [BusWidth/8-1:0] blocks_wstrb;

  aes_bus #(
    .BusWidth(BusWidth),
    .MaxBeats(MaxBeats)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .fetch_i                (fetch),
    .fetch_ready_o          (fetch_ready),
    .descriptor_o           (descriptor_word),
    .completion_i           (completion),
    .completion_ready_o     (completion_ready),
    .completion_word_i      (completion_word),
    .completion_word_ready_o(completion_word_ready),
    .completion_done_o      (completion_done),
    .completion_end_i       (completion_end),
    .completion_error_o     (completion_error),
    .blocks_i               (blocks),
    .blocks_wdata_i         (blocks_wdata),
    .blocks_wstrb_i         (blocks_wstrb),
    .blocks_o               (blocks_answer),
    .blocks_rdata_o         (blocks_rdata),
    .busy_o                 (events.bus_busy),
    .beats_o                (events.bus_beats),
    .m_axi_o,
    .m_axi_wdata_o,
    .m_axi_wstrb_o,
    .m_axi_i,
    .m_axi_rdata_i
  );

  // Fragments from the ring
  logic            fetched, fetch_more, fetch_quiet, fragment_valid, fragment_ready, fragment_stray;
  aes_descriptor_t fragment;
  aes_status_e     fragment_status;
  logic [15:0]     fragment_index;

  aes_descriptor_fetch #(
    .KeyBits (KeyBits),
    .Messages(Messages),
    .KeySlots(KeySlots)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .enable_i        (settings.enable),
    .hold_i          (wipe),
    .restart_i       (restart),
    .ring_i          (settings.submission),
    .head_o          (state.submission_head),
    .overrun_o       (state.submission_overrun),
    .fetched_o       (fetched),
    .more_o          (fetch_more),
    .quiet_o         (fetch_quiet),
    .fault_o         (events.descriptor_fault),
    .command_o       (fetch),
    .command_ready_i (fetch_ready),
    .read_i          (descriptor_word),
    .fragment_valid_o(fragment_valid),
    .fragment_ready_i(fragment_ready),
    .fragment_o      (fragment),
    .status_o        (fragment_status),
    .stray_o         (fragment_stray),
    .index_o         (fragment_index)
  );

  // Messages and their cipher
  to_cipher_t [Messages-1:0]   offers;
  from_cipher_t [Messages-1:0] results;
  ended_t [Messages-1:0]       ended;
  logic [Messages-1:0]         cipher_ready, key_next, key_end, ended_ready;
  logic [KeySlots-1:0]         slot_full, slot_empty;
  logic                        cipher_zeroise, key_ready, messages_quiet;

  // Of one block a cycle, eight groups of 16 are on their way through the bus, the FIFOs and the cipher
  localparam int unsigned FifoLog2 = Decrypt && Stages > 2 ? 7 : 5;

  aes_messages #(
    .Messages(Messages),
    .KeySlots(KeySlots),
    .FifoLog2(FifoLog2),
    .BusWidth(BusWidth),
    .MaxBeats(MaxBeats)
  ) u_messages (
    .clk_i,
    .rst_ni,
    .wipe_i           (wipe),
    .fragment_valid_i (fragment_valid),
    .fragment_ready_o (fragment_ready),
    .fragment_i       (fragment),
    .status_i         (fragment_status),
    .stray_i          (fragment_stray),
    .index_i          (fragment_index),
    .slot_full_i      (slot_full),
    .empty_o          (slot_empty),
    .cipher_o         (offers),
    .cipher_ready_i   (cipher_ready),
    .key_next_i       (key_next),
    .key_end_i        (key_end),
    .results_i        (results),
    .m_axi_o          (blocks),
    .m_axi_wdata_o    (blocks_wdata),
    .m_axi_wstrb_o    (blocks_wstrb),
    .m_axi_i          (blocks_answer),
    .m_axi_rdata_i    (blocks_rdata),
    .ended_o          (ended),
    .ended_ready_i    (ended_ready),
    .busy_o           (busy),
    .data_fault_o     (events.data_fault),
    .wiping_o         (messages_wiping),
    .quiet_o          (messages_quiet)
  );

  aes_cipher #(
    .Decrypt (Decrypt),
    .KeyBits (KeyBits),
    .Messages(Messages),
    .Stages  (Stages),
    .KeySlots(KeySlots),
    .Table   (Table)
  ) u_cipher (
    .clk_i,
    .rst_ni,
    .wipe_i     (wipe),
    .zeroise_i  (cipher_zeroise),
    .empty_i    (slot_empty),
    .messages_i (offers),
    .ready_o    (cipher_ready),
    .key_next_o (key_next),
    .key_end_o  (key_end),
    .results_o  (results),
    .slot_full_o(slot_full),
    .key_ready_o(key_ready)
  );

  logic quiet, more, written_failed;

  assign more          = settings.enable && fetch_more;
  assign events.jobs   = 2'(events.written);
  assign events.failed = 2'(events.written && written_failed);
  assign state.idle    = quiet && (!more || state.submission_overrun);

  aes_completions #(
    .Messages(Messages)
  ) u_completions (
    .clk_i,
    .rst_ni,
    .ring_i           (settings.completion),
    .restart_i        (restart),
    .submission_head_i(state.submission_head),
    .tail_o           (state.completion_tail),
    .overrun_o        (state.completion_overrun),
    .fetched_i        (fetched),
    .fetch_quiet_i    (fetch_quiet),
    .more_i           (more),
    .in_flight_o      (state.in_flight),
    .quiet_o          (quiet),
    .drained_o        (events.drained),
    .ended_i          (ended),
    .ended_ready_o    (ended_ready),
    .command_o        (completion),
    .command_ready_i  (completion_ready),
    .word_o           (completion_word),
    .word_ready_i     (completion_word_ready),
    .done_i           (completion_done),
    .end_o            (completion_end),
    .error_i          (completion_error),
    .written_o        (events.written),
    .interrupt_o      (events.written_interrupt),
    .failed_o         (written_failed),
    .fault_o          (events.completion_fault)
  );

  // Erasure
  aes_erasure u_erasure (
    .clk_i,
    .rst_ni,
    .zeroise_i(zeroise),
    .quiet_i  (key_ready && messages_quiet && quiet),
    .wipe_o   (wipe),
    .begins_o (cipher_zeroise)
  );

endmodule
