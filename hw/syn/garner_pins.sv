// SPDX-License-Identifier: Apache-2.0
// garner_top on few pins, to place and route it: it has some 500 ports, an LFE5U-85 in the CABGA756 package 365 pins.
//
// In a system the ports end in flip-flops of an interconnect or a PCIe bridge. Here they end in two shift registers, one
// bit in and one bit out a cycle, so that nothing of the accelerator can be optimised away and every path from and to a
// port is a path between flip-flops. The reset is released by two flip-flops, as the contract of garner_top asks.
//
//   in_i --> in_q (shift) --> garner_top --> out_q (shift, or load_i: take all) --> out_o
//
// It is no design to use: the ports change with every cycle.
module garner_pins #(
  parameter int unsigned Cores        = 5,
  parameter int unsigned WordBits     = 18,
  parameter int unsigned Rows         = 15,
  parameter int unsigned MaxBits      = 2048,
  parameter int unsigned KeySlots     = 3,
  parameter int unsigned BusWidth     = 64,
  parameter int unsigned MaxBeats     = 64,
  parameter int unsigned OperandWords = 256,
  parameter int unsigned InFlight     = 16,
  parameter bit          StreamPort   = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic load_i,
  input  logic in_i,
  output logic out_o
);

  typedef struct packed {
    logic [11:0]         s_axil_awaddr;
    logic [2:0]          s_axil_awprot;
    logic                s_axil_awvalid;
    logic [31:0]         s_axil_wdata;
    logic [3:0]          s_axil_wstrb;
    logic                s_axil_wvalid;
    logic                s_axil_bready;
    logic [11:0]         s_axil_araddr;
    logic [2:0]          s_axil_arprot;
    logic                s_axil_arvalid;
    logic                s_axil_rready;
    logic                m_axi_arready;
    logic [0:0]          m_axi_rid;
    logic [BusWidth-1:0] m_axi_rdata;
    logic [1:0]          m_axi_rresp;
    logic                m_axi_rlast;
    logic                m_axi_rvalid;
    logic                m_axi_awready;
    logic                m_axi_wready;
    logic [0:0]          m_axi_bid;
    logic [1:0]          m_axi_bresp;
    logic                m_axi_bvalid;
    logic [31:0]         s_axis_tdata;
    logic                s_axis_tlast;
    logic                s_axis_tvalid;
    logic                m_axis_tready;
  } inputs_t;

  typedef struct packed {
    logic                  s_axil_awready;
    logic                  s_axil_wready;
    logic [1:0]            s_axil_bresp;
    logic                  s_axil_bvalid;
    logic                  s_axil_arready;
    logic [31:0]           s_axil_rdata;
    logic [1:0]            s_axil_rresp;
    logic                  s_axil_rvalid;
    logic [0:0]            m_axi_arid;
    logic [63:0]           m_axi_araddr;
    logic [7:0]            m_axi_arlen;
    logic [2:0]            m_axi_arsize;
    logic [1:0]            m_axi_arburst;
    logic [3:0]            m_axi_arcache;
    logic [2:0]            m_axi_arprot;
    logic                  m_axi_arvalid;
    logic                  m_axi_rready;
    logic [0:0]            m_axi_awid;
    logic [63:0]           m_axi_awaddr;
    logic [7:0]            m_axi_awlen;
    logic [2:0]            m_axi_awsize;
    logic [1:0]            m_axi_awburst;
    logic [3:0]            m_axi_awcache;
    logic [2:0]            m_axi_awprot;
    logic                  m_axi_awvalid;
    logic [BusWidth-1:0]   m_axi_wdata;
    logic [BusWidth/8-1:0] m_axi_wstrb;
    logic                  m_axi_wlast;
    logic                  m_axi_wvalid;
    logic                  m_axi_bready;
    logic                  s_axis_tready;
    logic [31:0]           m_axis_tdata;
    logic                  m_axis_tlast;
    logic                  m_axis_tvalid;
    logic [2:0]            irq_o;
  } outputs_t;

  inputs_t    in_q;
  outputs_t   outputs, out_q;
  /* verilator lint_off SYNCASYNCNET */ // as in reset_synchroniser
  logic [1:0] reset_nq;
  /* verilator lint_on SYNCASYNCNET */

  // From register to register, as the bits go: nothing here is to be the longest path.
  localparam int unsigned Reach = 32;  // bits that one of them loads
  logic [($bits(outputs_t)-1)/Reach:0] load_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reset_nq <= '0;
    else reset_nq <= {reset_nq[0], 1'b1};
  end

  always_ff @(posedge clk_i) begin
    in_q   <= {in_q[$bits(inputs_t)-2:0], in_i};
    load_q <= ($bits(load_q))'({load_q, load_i});
    for (int unsigned i = 0; i < $bits(outputs_t); i++) begin
      out_q[i] <= load_q[i/Reach] ? outputs[i] : i != 0 && out_q[(i+$bits(outputs_t)-1)%$bits(outputs_t)];
    end
  end

  assign out_o = out_q[$bits(outputs_t)-1];

  garner_top #(
    .Cores       (Cores),
    .WordBits    (WordBits),
    .Rows        (Rows),
    .MaxBits     (MaxBits),
    .KeySlots    (KeySlots),
    .BusWidth    (BusWidth),
    .MaxBeats    (MaxBeats),
    .OperandWords(OperandWords),
    .InFlight    (InFlight),
    .StreamPort  (StreamPort)
  ) u_top (
    .clk_i,
    .rst_ni         (reset_nq[1]),
    .s_axil_awaddr  (in_q.s_axil_awaddr),
    .s_axil_awprot  (in_q.s_axil_awprot),
    .s_axil_awvalid (in_q.s_axil_awvalid),
    .s_axil_wdata   (in_q.s_axil_wdata),
    .s_axil_wstrb   (in_q.s_axil_wstrb),
    .s_axil_wvalid  (in_q.s_axil_wvalid),
    .s_axil_bready  (in_q.s_axil_bready),
    .s_axil_araddr  (in_q.s_axil_araddr),
    .s_axil_arprot  (in_q.s_axil_arprot),
    .s_axil_arvalid (in_q.s_axil_arvalid),
    .s_axil_rready  (in_q.s_axil_rready),
    .m_axi_arready  (in_q.m_axi_arready),
    .m_axi_rid      (in_q.m_axi_rid),
    .m_axi_rdata    (in_q.m_axi_rdata),
    .m_axi_rresp    (in_q.m_axi_rresp),
    .m_axi_rlast    (in_q.m_axi_rlast),
    .m_axi_rvalid   (in_q.m_axi_rvalid),
    .m_axi_awready  (in_q.m_axi_awready),
    .m_axi_wready   (in_q.m_axi_wready),
    .m_axi_bid      (in_q.m_axi_bid),
    .m_axi_bresp    (in_q.m_axi_bresp),
    .m_axi_bvalid   (in_q.m_axi_bvalid),
    .s_axis_tdata   (in_q.s_axis_tdata),
    .s_axis_tlast   (in_q.s_axis_tlast),
    .s_axis_tvalid  (in_q.s_axis_tvalid),
    .m_axis_tready  (in_q.m_axis_tready),
    .s_axil_awready (outputs.s_axil_awready),
    .s_axil_wready  (outputs.s_axil_wready),
    .s_axil_bresp   (outputs.s_axil_bresp),
    .s_axil_bvalid  (outputs.s_axil_bvalid),
    .s_axil_arready (outputs.s_axil_arready),
    .s_axil_rdata   (outputs.s_axil_rdata),
    .s_axil_rresp   (outputs.s_axil_rresp),
    .s_axil_rvalid  (outputs.s_axil_rvalid),
    .m_axi_arid     (outputs.m_axi_arid),
    .m_axi_araddr   (outputs.m_axi_araddr),
    .m_axi_arlen    (outputs.m_axi_arlen),
    .m_axi_arsize   (outputs.m_axi_arsize),
    .m_axi_arburst  (outputs.m_axi_arburst),
    .m_axi_arcache  (outputs.m_axi_arcache),
    .m_axi_arprot   (outputs.m_axi_arprot),
    .m_axi_arvalid  (outputs.m_axi_arvalid),
    .m_axi_rready   (outputs.m_axi_rready),
    .m_axi_awid     (outputs.m_axi_awid),
    .m_axi_awaddr   (outputs.m_axi_awaddr),
    .m_axi_awlen    (outputs.m_axi_awlen),
    .m_axi_awsize   (outputs.m_axi_awsize),
    .m_axi_awburst  (outputs.m_axi_awburst),
    .m_axi_awcache  (outputs.m_axi_awcache),
    .m_axi_awprot   (outputs.m_axi_awprot),
    .m_axi_awvalid  (outputs.m_axi_awvalid),
    .m_axi_wdata    (outputs.m_axi_wdata),
    .m_axi_wstrb    (outputs.m_axi_wstrb),
    .m_axi_wlast    (outputs.m_axi_wlast),
    .m_axi_wvalid   (outputs.m_axi_wvalid),
    .m_axi_bready   (outputs.m_axi_bready),
    .s_axis_tready  (outputs.s_axis_tready),
    .m_axis_tdata   (outputs.m_axis_tdata),
    .m_axis_tlast   (outputs.m_axis_tlast),
    .m_axis_tvalid  (outputs.m_axis_tvalid),
    .irq_o          (outputs.irq_o)
  );

endmodule
