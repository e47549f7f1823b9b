// SPDX-License-Identifier: Apache-2.0
// The bus of an AES engine: one reader and one writer of host memory, each with two users, the rings first.
//
//   aes_descriptor_fetch --+               +-- completion_write
//                          +-- dma_read    |
//   aes_reader ------------+   dma_write --+-- aes_writer, which also says which bytes of a beat are written
//
//   cycle               0    1    2   ..
//   fetch_i, groups_i   F,G  G                  a descriptor before a group of blocks
//   fetch_ready_o       1
//   groups_ready_o      0    1                  as soon as the reader takes another
//
// Contract    As of dma_read and dma_write. Whose words and whose end those of the writer are was said by the command
//             that was taken last.
module aes_bus
  import bus_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter int unsigned MaxBeats = 64
) (
  input  logic          clk_i,
  input  logic          rst_ni,

  // reading
  input  command_t      fetch_i,
  output logic          fetch_ready_o,
  output read_word_t    descriptor_o,
  input  command_t      groups_i,
  output logic          groups_ready_o,
  output read_word_t    block_word_o,

  // writing
  input  command_t      completion_i,
  output logic          completion_ready_o,
  input  write_word_t   completion_word_i,
  output logic          completion_word_ready_o,
  output logic          completion_done_o,
  input  logic          completion_end_i,         // done is taken
  input  command_t      blocks_i,
  output logic          blocks_ready_o,
  input  write_word_t   blocks_word_i,
  output logic          blocks_word_ready_o,
  output logic          blocks_done_o,
  output logic          write_error_o,            // with either done
  output logic          blocks_beat_valid_o,      // a beat of the blocks on the bus
  output logic [7:0]    blocks_beat_strobe_o,     // the bytes that dma_write would write
  input  logic [7:0]    blocks_strobe_i,          // those of them that are written

  output logic          busy_o,
  output logic [1:0]    beats_o,

  output axi_request_t  m_axi_o,
  output logic [63:0]   m_axi_wdata_o,
  output logic [7:0]    m_axi_wstrb_o,
  input  axi_response_t m_axi_i,
  input  logic [63:0]   m_axi_rdata_i
);

  // Reading: descriptors first, then blocks.
  logic       read_ready, read_id, read_busy;
  read_word_t read;
  command_t   read_command;

  assign read_command   = fetch_i.valid ? fetch_i : groups_i;
  assign fetch_ready_o  = read_ready;
  assign groups_ready_o = read_ready && !fetch_i.valid;
  assign descriptor_o   = '{valid: read.valid && !read_id, last: read.last, error: read.error, data: read.data};
  assign block_word_o   = '{valid: read.valid && read_id, last: read.last, error: read.error, data: read.data};

  dma_read #(
    .BusWidth(64),
    .MaxBeats(MaxBeats)
  ) u_read (
    .clk_i,
    .rst_ni,
    .command_valid_i  (read_command.valid),
    .command_ready_o  (read_ready),
    .command_address_i(read_command.address),
    .command_words_i  (read_command.words),
    .command_id_i     (!fetch_i.valid),
    .out_valid_o      (read.valid),
    .out_ready_i      (1'b1),
    .out_data_o       (read.data),
    .out_last_o       (read.last),
    .out_error_o      (read.error),
    .out_id_o         (read_id),
    .busy_o           (read_busy),
    .m_axi_araddr_o   (m_axi_o.araddr),
    .m_axi_arlen_o    (m_axi_o.arlen),
    .m_axi_arvalid_o  (m_axi_o.arvalid),
    .m_axi_arready_i  (m_axi_i.arready),
    .m_axi_rdata_i,
    .m_axi_rresp_i    (m_axi_i.rresp),
    .m_axi_rlast_i    (m_axi_i.rlast),
    .m_axi_rvalid_i   (m_axi_i.rvalid),
    .m_axi_rready_o   (m_axi_o.rready)
  );

  // Writing: completions first, then blocks.
  logic        write_ready, word_ready, done, write_busy, completion_owns_q;
  logic [7:0]  strobe;
  command_t    write_command;
  write_word_t word;

  assign write_command           = completion_i.valid ? completion_i : blocks_i;
  assign completion_ready_o      = write_ready;
  assign blocks_ready_o          = write_ready && !completion_i.valid;
  assign word                    = completion_owns_q ? completion_word_i : blocks_word_i;
  assign completion_word_ready_o = word_ready && completion_owns_q;
  assign blocks_word_ready_o     = word_ready && !completion_owns_q;
  assign completion_done_o       = done && completion_owns_q;
  assign blocks_done_o           = done && !completion_owns_q;
  assign blocks_beat_valid_o     = m_axi_o.wvalid && !completion_owns_q;
  assign blocks_beat_strobe_o    = strobe;
  assign m_axi_wstrb_o           = completion_owns_q ? strobe : blocks_strobe_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) completion_owns_q <= 1'b0;
    else if (write_ready && write_command.valid) completion_owns_q <= completion_i.valid;
  end

  dma_write #(
    .BusWidth(64),
    .MaxBeats(MaxBeats)
  ) u_write (
    .clk_i,
    .rst_ni,
    .command_valid_i  (write_command.valid),
    .command_ready_o  (write_ready),
    .command_address_i(write_command.address),
    .command_words_i  (write_command.words),
    .in_valid_i       (word.valid),
    .in_ready_o       (word_ready),
    .in_data_i        (word.data),
    .done_valid_o     (done),
    .done_ready_i     (!completion_owns_q || completion_end_i),
    .error_o          (write_error_o),
    .busy_o           (write_busy),
    .m_axi_awaddr_o   (m_axi_o.awaddr),
    .m_axi_awlen_o    (m_axi_o.awlen),
    .m_axi_awvalid_o  (m_axi_o.awvalid),
    .m_axi_awready_i  (m_axi_i.awready),
    .m_axi_wdata_o,
    .m_axi_wstrb_o    (strobe),
    .m_axi_wlast_o    (m_axi_o.wlast),
    .m_axi_wvalid_o   (m_axi_o.wvalid),
    .m_axi_wready_i   (m_axi_i.wready),
    .m_axi_bresp_i    (m_axi_i.bresp),
    .m_axi_bvalid_i   (m_axi_i.bvalid),
    .m_axi_bready_o   (m_axi_o.bready)
  );

  logic read_beat_q, write_beat_q;

  assign busy_o  = read_busy || write_busy;
  assign beats_o = 2'(read_beat_q) + 2'(write_beat_q);

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
