// SPDX-License-Identifier: Apache-2.0
// The bus of an AES engine: descriptors and completions by the DMA of RSA, a word at a time, and the blocks of messages a
// beat at a time, as two masters of one bus with one ID.
//
//   aes_descriptor_fetch -- dma_read  --+-- axi_widen --+
//   completion_write ------ dma_write --+   (of 128)    +-- axi_mux --- axi_slice --- AXI4
//   aes_reader, aes_writer -----------------------------+     ^
//                                             order: whose answers come next
//
//   cycle               0    1    2    3    4    5
//   descriptors' AR     A0
//   blocks' AR          A1   A1
//   AXI4 AR                  A0   A1
//   AXI4 R                        D    D    D'   D'    in the order of the addresses, as they have one ID
//
// Contract    As of dma_read, dma_write, aes_reader and aes_writer. Sixteen addresses under way, of either kind.
// Parameters  BusWidth 64 or 128. MaxBeats: longest burst, of 128 bits at least 2.
module aes_bus
  import bus_pkg::*;
#(
  parameter int unsigned BusWidth = 64,
  parameter int unsigned MaxBeats = 64
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // descriptors
  input  command_t              fetch_i,
  output logic                  fetch_ready_o,
  output read_word_t            descriptor_o,

  // completions
  input  command_t              completion_i,
  output logic                  completion_ready_o,
  input  write_word_t           completion_word_i,
  output logic                  completion_word_ready_o,
  output logic                  completion_done_o,
  input  logic                  completion_end_i,   // done is taken
  output logic                  completion_error_o, // with done

  // blocks
  input  axi_request_t          blocks_i,
  input  logic [BusWidth-1:0]   blocks_wdata_i,
  input  logic [BusWidth/8-1:0] blocks_wstrb_i,
  output axi_response_t         blocks_o,
  output logic [BusWidth-1:0]   blocks_rdata_o,

  output logic                  busy_o,
  output logic [1:0]            beats_o,

  output axi_request_t          m_axi_o,
  output logic [BusWidth-1:0]   m_axi_wdata_o,
  output logic [BusWidth/8-1:0] m_axi_wstrb_o,
  input  axi_response_t         m_axi_i,
  input  logic [BusWidth-1:0]   m_axi_rdata_i
);

  if (BusWidth != 64 && BusWidth != 128) begin : gen_bad_width
    $fatal(1, "aes_bus: BusWidth must be 64 or 128");
  end
  if (BusWidth == 128 && MaxBeats < 2) begin : gen_bad_beats
    $fatal(1, "aes_bus: MaxBeats must be 2 or more");
  end

  // Descriptors and completions
  axi_read_request_t   read_words;
  axi_read_response_t  read_words_answer;
  axi_write_request_t  write_words;
  axi_write_response_t write_words_answer;
  axi_request_t        words;
  axi_response_t       words_answer;
  logic [63:0]         words_wdata, words_rdata;
  logic [7:0]          words_wstrb;
  logic                read_busy, write_busy, read_id;

  assign words                                   = {read_words, write_words};
  assign {read_words_answer, write_words_answer} = words_answer;

  dma_read #(
    .BusWidth(64),
    .MaxBeats(MaxBeats)
  ) u_read (
    .clk_i,
    .rst_ni,
    .command_i      (fetch_i),
    .command_ready_o(fetch_ready_o),
    .command_id_i   (1'b0),
    .out_o          (descriptor_o),
    .out_ready_i    (1'b1),
    .out_id_o       (read_id),
    .busy_o         (read_busy),
    .m_axi_o        (read_words),
    .m_axi_i        (read_words_answer),
    .m_axi_rdata_i  (words_rdata)
  );

  dma_write #(
    .BusWidth(64),
    .MaxBeats(MaxBeats)
  ) u_write (
    .clk_i,
    .rst_ni,
    .command_i      (completion_i),
    .command_ready_o(completion_ready_o),
    .in_i           (completion_word_i),
    .in_ready_o     (completion_word_ready_o),
    .done_valid_o   (completion_done_o),
    .done_ready_i   (completion_end_i),
    .error_o        (completion_error_o),
    .busy_o         (write_busy),
    .m_axi_o        (write_words),
    .m_axi_wdata_o  (words_wdata),
    .m_axi_wstrb_o  (words_wstrb),
    .m_axi_i        (write_words_answer)
  );

  // Both on one bus
  axi_request_t [1:0]              masters;
  axi_response_t [1:0]             answers;
  logic [1:0][BusWidth-1:0]        wdata;
  logic [1:0][BusWidth/8-1:0]      wstrb;
  axi_request_t                    bus, slice;
  axi_response_t                   bus_answer, slice_answer;
  logic [BusWidth-1:0]             slice_wdata, slice_rdata;
  logic [BusWidth/8-1:0]           slice_wstrb;
  axi_request_t                    descriptors;
  axi_response_t                   descriptors_answer;
  logic [BusWidth-1:0]             descriptors_rdata;
  logic [1:0]                      arid, awid;
  logic                            rid, bid, reads_ready, reads_valid, writes_ready, writes_valid;

  if (BusWidth == 128) begin : gen_wide
    axi_widen u_widen (
      .clk_i,
      .rst_ni,
      .s_axi_i      (words),
      .s_axi_wdata_i(words_wdata),
      .s_axi_wstrb_i(words_wstrb),
      .s_axi_o      (words_answer),
      .s_axi_rdata_o(words_rdata),
      .m_axi_o      (descriptors),
      .m_axi_wdata_o(wdata[0]),
      .m_axi_wstrb_o(wstrb[0]),
      .m_axi_i      (descriptors_answer),
      .m_axi_rdata_i(descriptors_rdata)
    );
  end else begin : gen_same
    assign descriptors  = words;
    assign wdata[0]     = words_wdata;
    assign wstrb[0]     = words_wstrb;
    assign words_answer = descriptors_answer;
    assign words_rdata  = descriptors_rdata;
  end

  // A descriptor, which is read alone, has room here, so RREADY is never low: it would reach every flip-flop of a beat
  typedef struct packed {
    logic                last;
    logic [1:0]          resp;
    logic [BusWidth-1:0] data;
  } descriptor_t;
  logic        descriptor_room, descriptor_valid, arrived_q;
  descriptor_t arrived, head;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      arrived_q <= 1'b0;
      arrived   <= '0;
    end else begin
      arrived_q <= answers[0].rvalid;
      arrived   <= '{last: answers[0].rlast, resp: answers[0].rresp, data: slice_rdata};
    end
  end

  fifo #(
    .Width($bits(descriptor_t)),
    .Depth(16)
  ) u_descriptors (
    .clk_i,
    .rst_ni,
    .in_valid_i (arrived_q),
    .in_ready_o (descriptor_room),
    .in_data_i  (arrived),
    .out_valid_o(descriptor_valid),
    .out_ready_i(descriptors.rready),
    .out_data_o (head)
  );

  always_comb begin
    masters[0]                = descriptors;
    masters[0].rready         = 1'b1;
    descriptors_answer        = answers[0];
    descriptors_answer.rvalid = descriptor_valid;
    descriptors_answer.rlast  = head.last;
    descriptors_answer.rresp  = head.resp;
  end

`ifdef GARNER_ASSERT
  always_comb begin
    if (rst_ni) begin
      a_descriptor_has_room: assert (!arrived_q || descriptor_room);
    end
  end
`endif
  assign descriptors_rdata = head.data;
  assign masters[1] = blocks_i;
  assign wdata[1]   = blocks_wdata_i;
  assign wstrb[1]   = blocks_wstrb_i;
  assign blocks_o       = answers[1];
  assign blocks_rdata_o = slice_rdata;

  axi_mux #(
    .Masters(2),
    .Width  (BusWidth)
  ) u_mux (
    .clk_i,
    .rst_ni,
    .masters_i      (masters),
    .masters_wdata_i(wdata),
    .masters_wstrb_i(wstrb),
    .masters_o      (answers),
    .m_axi_o        (bus),
    .m_axi_arid_o   (arid),
    .m_axi_awid_o   (awid),
    .m_axi_wdata_o  (slice_wdata),
    .m_axi_wstrb_o  (slice_wstrb),
    .m_axi_i        (bus_answer),
    .m_axi_rid_i    ({1'b0, rid}),
    .m_axi_bid_i    ({1'b0, bid})
  );

  // Whose answers come next, in place of IDs
  always_comb begin
    slice              = bus;
    slice.arvalid      = bus.arvalid && reads_ready;
    slice.awvalid      = bus.awvalid && writes_ready;
    bus_answer         = slice_answer;
    bus_answer.arready = slice_answer.arready && reads_ready;
    bus_answer.awready = slice_answer.awready && writes_ready;
  end

  registered_fifo #(
    .Width(1),
    .Depth(16)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .in_valid_i (bus.arvalid && slice_answer.arready),
    .in_ready_o (reads_ready),
    .in_data_i  (arid[0]),
    .out_valid_o(reads_valid),
    .out_ready_i(slice_answer.rvalid && slice.rready && slice_answer.rlast),
    .out_data_o (rid)
  );

  registered_fifo #(
    .Width(1),
    .Depth(16)
  ) u_writes (
    .clk_i,
    .rst_ni,
    .in_valid_i (bus.awvalid && slice_answer.awready),
    .in_ready_o (writes_ready),
    .in_data_i  (awid[0]),
    .out_valid_o(writes_valid),
    .out_ready_i(slice_answer.bvalid && slice.bready),
    .out_data_o (bid)
  );

  axi_slice #(
    .Width(BusWidth)
  ) u_slice (
    .clk_i,
    .rst_ni,
    .s_axi_i      (slice),
    .s_axi_wdata_i(slice_wdata),
    .s_axi_wstrb_i(slice_wstrb),
    .s_axi_o      (slice_answer),
    .s_axi_rdata_o(slice_rdata),
    .m_axi_o,
    .m_axi_wdata_o,
    .m_axi_wstrb_o,
    .m_axi_i,
    .m_axi_rdata_i
  );

  logic read_beat_q, write_beat_q, unused;

  assign busy_o  = read_busy || write_busy || reads_valid || writes_valid || bus.arvalid || bus.awvalid ||
                   m_axi_o.arvalid || m_axi_o.awvalid;
  assign beats_o = 2'(read_beat_q) + 2'(write_beat_q);
  assign unused  = ^{read_id, arid[1], awid[1], descriptor_room};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_beat_q  <= 1'b0;
      write_beat_q <= 1'b0;
    end else begin
      read_beat_q  <= m_axi_i.rvalid && m_axi_o.rready;
      write_beat_q <= m_axi_o.wvalid && m_axi_i.wready;
    end
  end

endmodule
