// SPDX-License-Identifier: Apache-2.0
// `aes_core`, an AES engine with its registers, rings and DMA, with a register at every port, for placement alone: see
// rsa_core_ports. The reset is released by two flip-flops, as in garner_pins, and goes over a buffer, as in garner_board.
module aes_core_ports
  import bus_pkg::*;
#(
  parameter bit          Decrypt  = 1'b0,
  parameter int unsigned Messages = 4,
  parameter int unsigned Stages   = 10,
  parameter int unsigned KeySlots = 4,
  parameter int unsigned BusWidth = 64,
  parameter int unsigned MaxBeats = 64,
  parameter bit          Table    = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic load_i,
  input  logic bit_i,
  output logic bit_o
);

  typedef struct packed {
    axil_request_t       axil;
    axi_response_t       axi;
    logic [BusWidth-1:0] rdata;
  } in_t;
  typedef struct packed {
    axil_response_t        axil;
    axi_request_t          axi;
    logic [BusWidth-1:0]   wdata;
    logic [BusWidth/8-1:0] wstrb;
    logic [2:0]            irq;
  } out_t;

  in_t        in_q;
  out_t       out, out_q;
  logic       load_q;
  /* verilator lint_off SYNCASYNCNET */ // as in reset_synchroniser
  logic [1:0] reset_nq;
  /* verilator lint_on SYNCASYNCNET */

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reset_nq <= '0;
    else reset_nq <= {reset_nq[0], 1'b1};
  end

  always_ff @(posedge clk_i) begin
    in_q   <= {in_q[$bits(in_t)-2:0], bit_i};
    load_q <= load_i;
    out_q  <= load_q ? out : {out_q[$bits(out_t)-2:0], 1'b0};
  end
  assign bit_o = out_q[$bits(out_t)-1];

  logic reset_n;
  reset_buffer u_reset (
    .clk_i,
    .rst_ni(reset_nq[1]),
    .rst_no(reset_n)
  );

  aes_core #(
    .Decrypt (Decrypt),
    .Messages(Messages),
    .Stages  (Stages),
    .KeySlots(KeySlots),
    .BusWidth(BusWidth),
    .MaxBeats(MaxBeats),
    .Table   (Table)
  ) u_core (
    .clk_i,
    .rst_ni       (reset_n),
    .s_axil_i     (in_q.axil),
    .s_axil_o     (out.axil),
    .m_axi_o      (out.axi),
    .m_axi_wdata_o(out.wdata),
    .m_axi_wstrb_o(out.wstrb),
    .m_axi_i      (in_q.axi),
    .m_axi_rdata_i(in_q.rdata),
    .irq_o        (out.irq)
  );

endmodule
