// SPDX-License-Identifier: Apache-2.0
// An AES-128-CBC engine: registers, descriptor rings and DMA in front of aes_cbc_encrypt or aes_cbc_decrypt.
//
//   AXI4-Lite -- registers                                 aes_cipher
//                   |                                      |  ^     ^ keys
//   AXI4 <-- dma_read --> aes_descriptor_fetch --> aes_message 0, 1, ...
//        |           +--> aes_reader ----------------^     |
//        +-- dma_write <-- aes_writer <--------------------+
//                    ^---- completion_write <-- status ----+
//
// Registers, rings and completions are those of the RSA accelerator (docs/integration.md), from the same modules of
// hw/rtl/bus; what a descriptor says is in aes_descriptor_pkg. CAPABILITY_CORES.cores is Messages,
// CAPABILITY_ARITHMETIC.max_bits 0 (no RSA), CAPABILITY_MONTGOMERY.r_step 0 for encryption and 1 for decryption.
//
// A fragment of one block, encrypted, all at multiples of 8, a memory that answers in two cycles and never pauses:
//
//   cycle       0     9-24   28     38-41   43-54   59-62   71-74   78
//   bus         tail  descr. AR     block           result  compl.
//   cipher                                  block
//   irq_o                                                           if its descriptor is marked
//
// Contract    Every descriptor read ends in exactly one completion, whose order is that of the fragments' ends: in order
//             within a message. After a completion other than Ok the message is broken until a fragment that is first;
//             what the fragment's destination then holds is not defined, but no plaintext or ciphertext of another key
//             or message. A key is loaded behind the fragments before it in the ring of its message, and no descriptor
//             behind it begins before it is there. CONTROL.zeroise, and reset: keys, states, IVs and blocks are dropped
//             at once and overwritten, fragments under way end in EmptySlot; STATUS.zeroising until that is done and the
//             bus is quiet.
//             dma_write bounds it to one block in six cycles, and some more for each group of 16.
// Parameters  Decrypt: the way it goes. Messages: interleaved ones, each with a round unit; 1 to 4, of decryption 1.
//             Stages, Table: see the ciphers. KeySlots 1 to 16. MaxBeats: longest burst, a power of two up to 256.
module aes_engine
  import garner_pkg::*;
  import bus_pkg::*;
  import aes_descriptor_pkg::*;
#(
  parameter bit          Decrypt  = 1'b0,
  parameter int unsigned Messages = 4,
  parameter int unsigned Stages   = 10,
  parameter int unsigned KeySlots = 4,
  parameter int unsigned MaxBeats = 64,
  parameter bit          Table    = 1'b1
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [11:0] s_axil_awaddr,
  input  logic [2:0]  s_axil_awprot,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [1:0]  s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [11:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,

  output logic [0:0]  m_axi_arid,
  output logic [63:0] m_axi_araddr,
  output logic [7:0]  m_axi_arlen,
  output logic [2:0]  m_axi_arsize,
  output logic [1:0]  m_axi_arburst,
  output logic [3:0]  m_axi_arcache,
  output logic [2:0]  m_axi_arprot,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic [0:0]  m_axi_rid,
  input  logic [63:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready,
  output logic [0:0]  m_axi_awid,
  output logic [63:0] m_axi_awaddr,
  output logic [7:0]  m_axi_awlen,
  output logic [2:0]  m_axi_awsize,
  output logic [1:0]  m_axi_awburst,
  output logic [3:0]  m_axi_awcache,
  output logic [2:0]  m_axi_awprot,
  output logic        m_axi_awvalid,
  input  logic        m_axi_awready,
  output logic [63:0] m_axi_wdata,
  output logic [7:0]  m_axi_wstrb,
  output logic        m_axi_wlast,
  output logic        m_axi_wvalid,
  input  logic        m_axi_wready,
  input  logic [0:0]  m_axi_bid,
  input  logic [1:0]  m_axi_bresp,
  input  logic        m_axi_bvalid,
  output logic        m_axi_bready,

  output logic [2:0]  irq_o           // completion, idle, error; levels
);

  if (Messages < 1 || Messages > 4 || (Decrypt && Messages != 1)) begin : gen_bad_messages
    $fatal(1, "aes_engine: Messages must be 1 to 4, and 1 of decryption");
  end

  localparam int unsigned SlotWidth    = KeySlots > 1 ? $clog2(KeySlots) : 1;
  localparam int unsigned MessageWidth = Messages > 1 ? $clog2(Messages) : 1;

  garner_regs_pkg::garner_regs__in_t  set;
  garner_regs_pkg::garner_regs__out_t is;

  registers u_registers (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr_i (s_axil_awaddr),
    .s_axil_awvalid_i(s_axil_awvalid),
    .s_axil_awready_o(s_axil_awready),
    .s_axil_wdata_i  (s_axil_wdata),
    .s_axil_wstrb_i  (s_axil_wstrb),
    .s_axil_wvalid_i (s_axil_wvalid),
    .s_axil_wready_o (s_axil_wready),
    .s_axil_bresp_o  (s_axil_bresp),
    .s_axil_bvalid_o (s_axil_bvalid),
    .s_axil_bready_i (s_axil_bready),
    .s_axil_araddr_i (s_axil_araddr),
    .s_axil_arvalid_i(s_axil_arvalid),
    .s_axil_arready_o(s_axil_arready),
    .s_axil_rdata_o  (s_axil_rdata),
    .s_axil_rresp_o  (s_axil_rresp),
    .s_axil_rvalid_o (s_axil_rvalid),
    .s_axil_rready_i (s_axil_rready),
    .set_i           (set),
    .is_o            (is)
  );

  logic unused_ports;
  assign unused_ports  = &{s_axil_awprot, s_axil_arprot, m_axi_rid, m_axi_bid};
  assign m_axi_arid    = '0;
  assign m_axi_arsize  = 3'd3;
  assign m_axi_arburst = AxiIncrementing;
  assign m_axi_arcache = AxiBufferable;
  assign m_axi_arprot  = AxiData;
  assign m_axi_awid    = '0;
  assign m_axi_awsize  = 3'd3;
  assign m_axi_awburst = AxiIncrementing;
  assign m_axi_awcache = AxiBufferable;
  assign m_axi_awprot  = AxiData;

  // Reading: descriptors first, then blocks.
  logic        wipe;
  logic        read_valid, read_last, read_error, read_id, read_busy, read_command_ready;
  logic [31:0] read_data;
  logic        fetch_command, group_command;
  logic [63:0] fetch_address, group_address;
  logic [15:0] group_words;

  dma_read #(
    .BusWidth(64),
    .MaxBeats(MaxBeats)
  ) u_read (
    .clk_i,
    .rst_ni,
    .command_valid_i  (fetch_command || group_command),
    .command_ready_o  (read_command_ready),
    .command_address_i(fetch_command ? fetch_address : group_address),
    .command_words_i  (fetch_command ? 16'(ring_pkg::DescriptorWords) : group_words),
    .command_id_i     (!fetch_command),
    .out_valid_o      (read_valid),
    .out_ready_i      (1'b1),
    .out_data_o       (read_data),
    .out_last_o       (read_last),
    .out_error_o      (read_error),
    .out_id_o         (read_id),
    .busy_o           (read_busy),
    .m_axi_araddr_o   (m_axi_araddr),
    .m_axi_arlen_o    (m_axi_arlen),
    .m_axi_arvalid_o  (m_axi_arvalid),
    .m_axi_arready_i  (m_axi_arready),
    .m_axi_rdata_i    (m_axi_rdata),
    .m_axi_rresp_i    (m_axi_rresp),
    .m_axi_rlast_i    (m_axi_rlast),
    .m_axi_rvalid_i   (m_axi_rvalid),
    .m_axi_rready_o   (m_axi_rready)
  );

  logic            restart, fetched, more, fetch_quiet, descriptor_fault, submission_overrun;
  logic [15:0]     submission_head, fragment_index;
  logic            fragment_valid, fragment_ready;
  aes_descriptor_t fragment;
  aes_status_e     fragment_status;

  aes_descriptor_fetch #(
    .Messages(Messages),
    .KeySlots(KeySlots)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .enable_i         (is.CONTROL.enable.value),
    .hold_i           (wipe),
    .restart_i        (restart),
    .base_i           ({is.SUBMISSION_BASE_HIGH.value.value, is.SUBMISSION_BASE_LOW.value.value, 6'd0}),
    .size_log2_i      (is.SUBMISSION_SIZE.log2.value),
    .tail_i           (is.SUBMISSION_TAIL.index.value),
    .head_o           (submission_head),
    .overrun_o        (submission_overrun),
    .fetched_o        (fetched),
    .more_o           (more),
    .quiet_o          (fetch_quiet),
    .fault_o          (descriptor_fault),
    .command_valid_o  (fetch_command),
    .command_ready_i  (read_command_ready),
    .command_address_o(fetch_address),
    .read_valid_i     (read_valid && !read_id),
    .read_data_i      (read_data),
    .read_last_i      (read_last),
    .read_error_i     (read_error),
    .fragment_valid_o (fragment_valid),
    .fragment_ready_i (fragment_ready),
    .fragment_o       (fragment),
    .status_o         (fragment_status),
    .index_o          (fragment_index)
  );

  // The messages. A key on its way keeps what is behind it from beginning.
  logic [Messages-1:0]            idle, key_under_way, begins, message_ready;
  logic [Messages-1:0]            group_valid, group_ready, group_end, block_valid;
  logic [Messages-1:0][63:0]      source, destination;
  logic [Messages-1:0][4:0]       group_blocks, write_blocks;
  aes_pkg::block_t                read_block;
  logic                           group_failed, reader_quiet;
  logic [Messages-1:0]            key_valid, key_end;
  logic [Messages-1:0]            in_valid, in_ready, in_first, result_valid, result_refused;
  logic [Messages-1:0][7:0]       slot;
  aes_pkg::block_t [Messages-1:0] iv, block, result, write_block;
  logic [Messages-1:0]            write_valid, write_ready, write_next, write_end;
  logic                           write_failed;
  logic [Messages-1:0]            done, done_ready, marked;
  aes_status_e                    status[Messages];
  logic [Messages-1:0][15:0]      index, tag;
  logic [Messages-1:0][31:0]      cycles;
  logic [KeySlots-1:0]            slot_full;
  logic                           begin_one, reject_valid, reject_ready;

  assign reject_valid = fragment_valid && fragment_status != AesOk;
  assign begin_one    = fragment_valid && fragment_status == AesOk && key_under_way == '0;

  always_comb begin
    begins = '0;
    for (int unsigned m = 0; m < Messages; m++) begins[m] = begin_one && 32'(fragment.message) == m;
  end
  assign fragment_ready = reject_valid ? reject_ready : (begins & message_ready) != '0;

  aes_reader #(
    .Messages(Messages)
  ) u_reader (
    .clk_i,
    .rst_ni,
    .wipe_i           (wipe),
    .quiet_o          (reader_quiet),
    .valid_i          (group_valid),
    .ready_o          (group_ready),
    .address_i        (source),
    .blocks_i         (group_blocks),
    .end_o            (group_end),
    .failed_o         (group_failed),
    .block_valid_o    (block_valid),
    .block_o          (read_block),
    .command_valid_o  (group_command),
    .command_ready_i  (read_command_ready && !fetch_command),
    .command_address_o(group_address),
    .command_words_o  (group_words),
    .read_valid_i     (read_valid && read_id),
    .read_data_i      (read_data),
    .read_last_i      (read_last),
    .read_error_i     (read_error)
  );

  for (genvar m = 0; m < Messages; m++) begin : gen_message
    aes_message u_message (
      .clk_i,
      .rst_ni,
      .wipe_i          (wipe),
      .fragment_valid_i(begins[m]),
      .fragment_ready_o(message_ready[m]),
      .fragment_i      (fragment),
      .index_i         (fragment_index),
      .slot_full_i     (slot_full[fragment.slot[SlotWidth-1:0]]),
      .read_valid_o    (group_valid[m]),
      .read_ready_i    (group_ready[m]),
      .read_address_o  (source[m]),
      .read_blocks_o   (group_blocks[m]),
      .read_end_i      (group_end[m]),
      .in_valid_i      (block_valid[m]),
      .in_block_i      (read_block),
      .key_valid_o     (key_valid[m]),
      .key_end_i       (key_end[m]),
      .cipher_valid_o  (in_valid[m]),
      .cipher_ready_i  (in_ready[m]),
      .cipher_first_o  (in_first[m]),
      .slot_o          (slot[m]),
      .iv_o            (iv[m]),
      .block_o         (block[m]),
      .result_valid_i  (result_valid[m]),
      .result_refused_i(result_refused[m]),
      .result_i        (result[m]),
      .write_valid_o   (write_valid[m]),
      .write_ready_i   (write_ready[m]),
      .write_address_o (destination[m]),
      .write_blocks_o  (write_blocks[m]),
      .write_end_i     (write_end[m]),
      .write_block_o   (write_block[m]),
      .write_next_i    (write_next[m]),
      .failed_i        ((group_end[m] && group_failed) || (write_end[m] && write_failed)),
      .failed_status_i (AesBusFault),
      .done_valid_o    (done[m]),
      .done_ready_i    (done_ready[m]),
      .status_o        (status[m]),
      .index_o         (index[m]),
      .tag_o           (tag[m]),
      .marked_o        (marked[m]),
      .cycles_o        (cycles[m]),
      .idle_o          (idle[m]),
      .key_o           (key_under_way[m])
    );
  end

  // The cipher, and the key that goes to it.
  logic                    cipher_wipe, cipher_key_valid, cipher_key_ready, loading_q, key_here;
  logic [MessageWidth-1:0] key_message;
  logic [SlotWidth-1:0]    key_slot;

  always_comb begin
    key_message = '0;
    for (int unsigned m = 0; m < Messages; m++) if (key_valid[m]) key_message = MessageWidth'(m);
  end
  assign key_slot         = slot[key_message][SlotWidth-1:0];
  assign key_here         = key_valid != '0;
  assign cipher_key_valid = key_here && !loading_q && !wipe;
  always_comb begin
    key_end              = '0;
    key_end[key_message] = loading_q && slot_full[key_slot];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) loading_q <= 1'b0;
    else if (wipe || key_end != '0) loading_q <= 1'b0;
    else if (cipher_key_valid && cipher_key_ready) loading_q <= 1'b1;
  end

  logic [Messages-1:0][SlotWidth-1:0] slots;
  always_comb for (int unsigned m = 0; m < Messages; m++) slots[m] = slot[m][SlotWidth-1:0];

  if (Decrypt) begin : gen_decrypt
    aes_cbc_decrypt #(
      .Stages  (Stages),
      .KeySlots(KeySlots),
      .Table   (Table)
    ) u_cipher (
      .clk_i,
      .rst_ni,
      .zeroise_i    (cipher_wipe),
      .key_valid_i  (cipher_key_valid),
      .key_ready_o  (cipher_key_ready),
      .key_slot_i   (key_slot),
      .key_i        (block[key_message]),
      .slot_full_o  (slot_full),
      .in_valid_i   (in_valid[0]),
      .in_ready_o   (in_ready[0]),
      .in_first_i   (in_first[0]),
      .in_slot_i    (slots[0]),
      .in_iv_i      (iv[0]),
      .in_data_i    (block[0]),
      .out_valid_o  (result_valid[0]),
      .out_ready_i  (1'b1),
      .out_refused_o(result_refused[0]),
      .out_data_o   (result[0])
    );
  end else begin : gen_encrypt
    aes_cbc_encrypt #(
      .Units   (Messages),
      .KeySlots(KeySlots),
      .Table   (Table)
    ) u_cipher (
      .clk_i,
      .rst_ni,
      .zeroise_i    (cipher_wipe),
      .key_valid_i  (cipher_key_valid),
      .key_ready_o  (cipher_key_ready),
      .key_slot_i   (key_slot),
      .key_i        (block[key_message]),
      .slot_full_o  (slot_full),
      .in_valid_i   (in_valid),
      .in_ready_o   (in_ready),
      .in_first_i   (in_first),
      .in_slot_i    (slots),
      .in_iv_i      (iv),
      .in_data_i    (block),
      .out_valid_o  (result_valid),
      .out_ready_i  ('1),
      .out_refused_o(result_refused),
      .out_data_o   (result)
    );
  end

  // Writing: completions first, then blocks.
  logic        completion_command, blocks_command, write_command_ready, completion_owns_q, write_ready_word;
  logic [63:0] completion_address, blocks_address;
  logic [15:0] completion_words, blocks_words;
  logic        completion_word_valid, blocks_word_valid, completion_end, write_done, write_error, write_busy, writer_busy;
  logic [31:0] completion_word, blocks_word;
  logic [7:0]  strobe, blocks_strobe;
  logic        blocks_taken;

  assign blocks_taken = blocks_command && !completion_command && write_command_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) completion_owns_q <= 1'b0;
    else if (write_command_ready && (completion_command || blocks_command)) completion_owns_q <= completion_command;
  end

  aes_writer #(
    .Messages(Messages)
  ) u_writer (
    .clk_i,
    .rst_ni,
    .wipe_i           (wipe),
    .busy_o           (writer_busy),
    .valid_i          (write_valid),
    .ready_o          (write_ready),
    .address_i        (destination),
    .blocks_i         (write_blocks),
    .block_i          (write_block),
    .next_o           (write_next),
    .end_o            (write_end),
    .failed_o         (write_failed),
    .command_valid_o  (blocks_command),
    .command_ready_i  (blocks_taken),
    .command_address_o(blocks_address),
    .command_words_o  (blocks_words),
    .write_valid_o    (blocks_word_valid),
    .write_ready_i    (write_ready_word && !completion_owns_q),
    .write_data_o     (blocks_word),
    .write_done_i     (write_done && !completion_owns_q),
    .write_error_i    (write_error),
    .beat_valid_i     (m_axi_wvalid && !completion_owns_q),
    .beat_ready_i     (m_axi_wready),
    .beat_strobe_i    (strobe),
    .strobe_o         (blocks_strobe)
  );

  assign m_axi_wstrb = completion_owns_q ? strobe : blocks_strobe;

  dma_write #(
    .BusWidth(64),
    .MaxBeats(MaxBeats)
  ) u_write (
    .clk_i,
    .rst_ni,
    .command_valid_i  (completion_command || blocks_command),
    .command_ready_o  (write_command_ready),
    .command_address_i(completion_command ? completion_address : blocks_address),
    .command_words_i  (completion_command ? completion_words : blocks_words),
    .in_valid_i       (completion_owns_q ? completion_word_valid : blocks_word_valid),
    .in_ready_o       (write_ready_word),
    .in_data_i        (completion_owns_q ? completion_word : blocks_word),
    .done_valid_o     (write_done),
    .done_ready_i     (!completion_owns_q || completion_end),
    .error_o          (write_error),
    .busy_o           (write_busy),
    .m_axi_awaddr_o   (m_axi_awaddr),
    .m_axi_awlen_o    (m_axi_awlen),
    .m_axi_awvalid_o  (m_axi_awvalid),
    .m_axi_awready_i  (m_axi_awready),
    .m_axi_wdata_o    (m_axi_wdata),
    .m_axi_wstrb_o    (strobe),
    .m_axi_wlast_o    (m_axi_wlast),
    .m_axi_wvalid_o   (m_axi_wvalid),
    .m_axi_wready_i   (m_axi_wready),
    .m_axi_bresp_i    (m_axi_bresp),
    .m_axi_bvalid_i   (m_axi_bvalid),
    .m_axi_bready_o   (m_axi_bready)
  );

  // Completions.
  logic [MessageWidth-1:0] done_message;
  logic                    answer_ready, completion_overrun, written, written_interrupt, written_failed, result_ready;
  logic                    result_fault, completion_fault;
  logic [15:0]             completion_tail;
  answer_t                 answer;
  context_t                answered, rejected;

  always_comb begin
    done_message = '0;
    for (int m = Messages - 1; m >= 0; m--) if (done[m]) done_message = MessageWidth'(m);
    done_ready               = '0;
    done_ready[done_message] = answer_ready;
    answer   = '{status: status_e'(status[done_message]), cycles: cycles[done_message], default: '0};
    answered = '{index: index[done_message], tag: tag[done_message], marked: marked[done_message], default: '0};
    rejected = '{index: fragment_index, tag: fragment.tag, marked: fragment.raise_interrupt, default: '0};
  end

  logic unused_results;
  assign unused_results = &{result_ready, result_fault};

  completion_write u_complete (
    .clk_i,
    .rst_ni,
    .restart_i         (restart),
    .base_i            ({is.COMPLETION_BASE_HIGH.value.value, is.COMPLETION_BASE_LOW.value.value, 4'd0}),
    .size_log2_i       (is.COMPLETION_SIZE.log2.value),
    .head_i            (is.COMPLETION_HEAD.index.value),
    .tail_o            (completion_tail),
    .overrun_o         (completion_overrun),
    .submission_head_i (submission_head),
    .written_o         (written),
    .interrupt_o       (written_interrupt),
    .failed_o          (written_failed),
    .answer_valid_i    (done != '0),
    .answer_ready_o    (answer_ready),
    .answer_i          (answer),
    .context_i         (answered),
    .result_valid_i    (1'b0),
    .result_ready_o    (result_ready),
    .result_data_i     ('0),
    .result_last_i     (1'b0),
    .reject_valid_i    (reject_valid),
    .reject_ready_o    (reject_ready),
    .reject_status_i   (status_e'(fragment_status)),
    .reject_context_i  (rejected),
    .command_valid_o   (completion_command),
    .command_ready_i   (write_command_ready),
    .command_address_o (completion_address),
    .command_words_o   (completion_words),
    .write_valid_o     (completion_word_valid),
    .write_ready_i     (write_ready_word && completion_owns_q),
    .write_data_o      (completion_word),
    .write_done_i      (write_done && completion_owns_q),
    .write_end_o       (completion_end),
    .write_error_i     (write_error),
    .result_fault_o    (result_fault),
    .completion_fault_o(completion_fault)
  );

  // Erasure.
  logic       erasing_q;
  logic [5:0] erased_q;  // cycles, up to 63

  assign wipe        = erasing_q;
  assign cipher_wipe = erasing_q && erased_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      erasing_q <= 1'b1;
      erased_q  <= '0;
    end else if (!erasing_q) begin
      erasing_q <= is.CONTROL.zeroise.value;
      erased_q  <= '0;
    end else begin
      if (erased_q != '1) erased_q <= erased_q + 6'd1;
      if (erased_q == '1 && cipher_key_ready && idle == '1 && reader_quiet && !writer_busy) erasing_q <= 1'b0;
    end
  end

  // What is under way, interrupts, errors, counters.
  logic [7:0] in_flight_q;
  logic       quiet, quiet_q, engine_idle, drained, raise, overrun, overrun_q, data_fault, read_beat_q, write_beat_q;

  assign quiet       = fetch_quiet && in_flight_q == '0;
  assign engine_idle = quiet && (!(is.CONTROL.enable.value && more) || submission_overrun);
  assign restart     = !is.CONTROL.enable.value && engine_idle;
  assign drained     = quiet && !quiet_q && !more;
  assign data_fault  = (group_end != '0 && group_failed) || (write_end != '0 && write_failed);
  assign overrun     = (submission_overrun || completion_overrun) && is.CONTROL.enable.value;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_flight_q  <= '0;
      quiet_q      <= 1'b1;
      overrun_q    <= 1'b0;
      read_beat_q  <= 1'b0;
      write_beat_q <= 1'b0;
    end else begin
      in_flight_q  <= in_flight_q + 8'(fetched) - 8'(written);
      quiet_q      <= quiet;
      overrun_q    <= overrun;
      read_beat_q  <= m_axi_rvalid && m_axi_rready;
      write_beat_q <= m_axi_wvalid && m_axi_wready;
    end
  end

  interrupt_coalescer u_coalescer (
    .clk_i,
    .rst_ni,
    .clear_i  (!is.CONTROL.enable.value),
    .count_i  (is.INTERRUPT_COALESCE.count.value),
    .cycles_i (is.INTERRUPT_COALESCE.cycles.value),
    .written_i(written),
    .marked_i (written_interrupt),
    .raise_o  (raise)
  );

  assign irq_o = {is.INTERRUPT_STATUS.error.value && is.INTERRUPT_ENABLE.error.value,
                  is.INTERRUPT_STATUS.idle.value && is.INTERRUPT_ENABLE.idle.value,
                  is.INTERRUPT_STATUS.completion.value && is.INTERRUPT_ENABLE.completion.value};

  logic [5:0] busy;
  always_comb begin
    busy = '0;
    for (int unsigned m = 0; m < Messages; m++) busy += 6'(!idle[m]);
  end

  logic [63:0] count_cycles, count_jobs, count_failed, count_busy, count_bus, count_beats;

  counters #(
    .BusyWidth(6)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .clear_i           (is.CONTROL.clear_counters.value),
    .jobs_i            (2'(written)),
    .failed_i          (2'(written && written_failed)),
    .busy_cores_i      (busy),
    .bus_busy_i        (read_busy || write_busy),
    .bus_beats_i       (2'(read_beat_q) + 2'(write_beat_q)),
    .cycles_o          (count_cycles),
    .jobs_o            (count_jobs),
    .failed_o          (count_failed),
    .busy_core_cycles_o(count_busy),
    .bus_cycles_o      (count_bus),
    .bus_beats_o       (count_beats)
  );

  assign set.CAPABILITY_CORES.cores.next              = 8'(Messages);
  assign set.CAPABILITY_CORES.key_slots.next          = 8'(KeySlots);
  assign set.CAPABILITY_CORES.in_flight.next          = 8'(Messages + 1);
  assign set.CAPABILITY_CORES.stream.next             = 1'b0;
  assign set.CAPABILITY_CORES.bus64.next              = 1'b1;
  assign set.CAPABILITY_ARITHMETIC.max_bits.next      = '0;
  assign set.CAPABILITY_ARITHMETIC.word_bits.next     = '0;
  assign set.CAPABILITY_ARITHMETIC.rows.next          = 8'(Decrypt ? Stages : Messages);
  assign set.CAPABILITY_MONTGOMERY.r_step.next        = 16'(Decrypt);
  assign set.CAPABILITY_MONTGOMERY.operand_words.next = '0;
  assign set.STATUS.idle.next                         = engine_idle;
  assign set.STATUS.zeroising.next                    = erasing_q;
  assign set.STATUS.submission_overrun.next           = submission_overrun;
  assign set.STATUS.completion_overrun.next           = completion_overrun;
  assign set.STATUS.in_flight.next                    = in_flight_q;
  assign set.INTERRUPT_STATUS.completion.hwset        = raise;
  assign set.INTERRUPT_STATUS.idle.hwset              = drained;
  assign set.INTERRUPT_STATUS.error.hwset             = descriptor_fault || data_fault || completion_fault ||
                                                        (overrun && !overrun_q);
  assign set.ERROR.descriptor_fault.hwset             = descriptor_fault;
  assign set.ERROR.data_fault.hwset                   = data_fault;
  assign set.ERROR.completion_fault.hwset             = completion_fault;
  assign set.ERROR.overrun.hwset                      = overrun && !overrun_q;
  assign set.SUBMISSION_HEAD.index.next               = submission_head;
  assign set.COMPLETION_TAIL.index.next               = completion_tail;
  assign set.CYCLES.value.next                        = count_cycles;
  assign set.JOBS.value.next                          = count_jobs;
  assign set.JOBS_FAILED.value.next                   = count_failed;
  assign set.BUSY_CORE_CYCLES.value.next              = count_busy;
  assign set.BUS_CYCLES.value.next                    = count_bus;
  assign set.BUS_BEATS.value.next                     = count_beats;

endmodule
