// SPDX-License-Identifier: Apache-2.0
// aes_core with AXI ports of one signal each, named as in the standard, for those who have no bundles.
//
// Contract    As of aes_core, cycle for cycle. `s_axil_*prot` are ignored. The master uses one ID, and incrementing bursts
//             that stay within 4 KiB pages.
// Parameters  As of aes_core.
module aes_engine
  import bus_pkg::*;
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

  input  logic [11:0]           s_axil_awaddr,
  input  logic [2:0]            s_axil_awprot,
  input  logic                  s_axil_awvalid,
  output logic                  s_axil_awready,
  input  logic [31:0]           s_axil_wdata,
  input  logic [3:0]            s_axil_wstrb,
  input  logic                  s_axil_wvalid,
  output logic                  s_axil_wready,
  output logic [1:0]            s_axil_bresp,
  output logic                  s_axil_bvalid,
  input  logic                  s_axil_bready,
  input  logic [11:0]           s_axil_araddr,
  input  logic [2:0]            s_axil_arprot,
  input  logic                  s_axil_arvalid,
  output logic                  s_axil_arready,
  output logic [31:0]           s_axil_rdata,
  output logic [1:0]            s_axil_rresp,
  output logic                  s_axil_rvalid,
  input  logic                  s_axil_rready,

  output logic [0:0]            m_axi_arid,
  output logic [63:0]           m_axi_araddr,
  output logic [7:0]            m_axi_arlen,
  output logic [2:0]            m_axi_arsize,
  output logic [1:0]            m_axi_arburst,
  output logic [3:0]            m_axi_arcache,
  output logic [2:0]            m_axi_arprot,
  output logic                  m_axi_arvalid,
  input  logic                  m_axi_arready,
  input  logic [0:0]            m_axi_rid,
  input  logic [BusWidth-1:0]   m_axi_rdata,
  input  logic [1:0]            m_axi_rresp,
  input  logic                  m_axi_rlast,
  input  logic                  m_axi_rvalid,
  output logic                  m_axi_rready,
  output logic [0:0]            m_axi_awid,
  output logic [63:0]           m_axi_awaddr,
  output logic [7:0]            m_axi_awlen,
  output logic [2:0]            m_axi_awsize,
  output logic [1:0]            m_axi_awburst,
  output logic [3:0]            m_axi_awcache,
  output logic [2:0]            m_axi_awprot,
  output logic                  m_axi_awvalid,
  input  logic                  m_axi_awready,
  output logic [BusWidth-1:0]   m_axi_wdata,
  output logic [BusWidth/8-1:0] m_axi_wstrb,
  output logic                  m_axi_wlast,
  output logic                  m_axi_wvalid,
  input  logic                  m_axi_wready,
  input  logic [0:0]            m_axi_bid,
  input  logic [1:0]            m_axi_bresp,
  input  logic                  m_axi_bvalid,
  output logic                  m_axi_bready,

  output logic [2:0]            irq_o           // completion, idle, error; levels
);

  // The ports, as bundles
  axil_request_t  axil_request;
  axil_response_t axil_response;
  axi_request_t   axi_request;
  axi_response_t  axi_response;

  assign axil_request = '{awaddr: s_axil_awaddr, awvalid: s_axil_awvalid, wdata: s_axil_wdata, wstrb: s_axil_wstrb,
                          wvalid: s_axil_wvalid, bready: s_axil_bready, araddr: s_axil_araddr, arvalid: s_axil_arvalid,
                          rready: s_axil_rready};
  assign {s_axil_awready, s_axil_wready, s_axil_bresp, s_axil_bvalid, s_axil_arready, s_axil_rdata, s_axil_rresp,
          s_axil_rvalid} = axil_response;
  assign {m_axi_araddr, m_axi_arlen, m_axi_arvalid, m_axi_rready, m_axi_awaddr, m_axi_awlen, m_axi_awvalid, m_axi_wlast,
          m_axi_wvalid, m_axi_bready} = axi_request;
  assign axi_response = '{arready: m_axi_arready, rresp: m_axi_rresp, rlast: m_axi_rlast, rvalid: m_axi_rvalid,
                          awready: m_axi_awready, wready: m_axi_wready, bresp: m_axi_bresp, bvalid: m_axi_bvalid};
  assign m_axi_arid    = '0;
  assign m_axi_arsize  = 3'($clog2(BusWidth / 8));
  assign m_axi_arburst = AxiIncrementing;
  assign m_axi_arcache = AxiBufferable;
  assign m_axi_arprot  = AxiData;
  assign m_axi_awid    = '0;
  assign m_axi_awsize  = 3'($clog2(BusWidth / 8));
  assign m_axi_awburst = AxiIncrementing;
  assign m_axi_awcache = AxiBufferable;
  assign m_axi_awprot  = AxiData;

  logic unused_ports;
  assign unused_ports = &{s_axil_awprot, s_axil_arprot, m_axi_rid, m_axi_bid};

  aes_core #(
    .Decrypt (Decrypt),
    .KeyBits (KeyBits),
    .Messages(Messages),
    .Stages  (Stages),
    .KeySlots(KeySlots),
    .BusWidth(BusWidth),
    .MaxBeats(MaxBeats),
    .Table   (Table)
  ) u_core (
    .clk_i,
    .rst_ni,
    .s_axil_i     (axil_request),
    .s_axil_o     (axil_response),
    .m_axi_o      (axi_request),
    .m_axi_wdata_o(m_axi_wdata),
    .m_axi_wstrb_o(m_axi_wstrb),
    .m_axi_i      (axi_response),
    .m_axi_rdata_i(m_axi_rdata),
    .irq_o
  );

endmodule
