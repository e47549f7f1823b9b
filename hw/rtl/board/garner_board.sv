// SPDX-License-Identifier: Apache-2.0
// The whole board as one function: RSA (garner_top) and both AES engines (aes_core), each with a page of registers, rings
// and interrupts of its own, behind one AXI4-Lite and one AXI4 port.
//
//   AXI4-Lite -- axil_pages --+-- page 0: garner_top              --+
//                             +-- page 1: aes_core, encryption    --+-- axi_mux -- AXI4
//                             +-- page 2: aes_core, decryption    --+
//
// The three know nothing of each other: each keeps its own time, and one that is reset by CONTROL or waits for its ring
// holds up none of the others but for the bus. Cycle pictures: see the three; a read of a register takes two cycles more, a
// write three, an answer of the bus one, the address of its write one.
//
// Contract    Addresses of registers: bits 13:12 the page, 11:0 the register (docs/integration.md). The AXI4 master uses
//             the number of the engine's page as ID, and incrementing bursts within 4 KiB pages.
//             irq_o: completion, idle and error of page 0, then of page 1, then of page 2; levels.
// Parameters  Those of garner_top but BusWidth, which is 64; MaxBeats, ArCache, AwCache and AxProt are of all three engines.
//             Those of aes_core with Aes before their names.
module garner_board
  import board_pkg::*;
  import bus_pkg::*;
#(
  parameter int unsigned Cores        = 2,
  parameter int unsigned WordBits     = 18,
  parameter int unsigned Rows         = 15,
  parameter int unsigned MaxBits      = 4096,
  parameter int unsigned KeySlots     = 4,
  parameter int unsigned MaxBeats     = 64,
  parameter int unsigned OperandWords = 512,
  parameter int unsigned InFlight     = 16,
  parameter bit          StreamPort   = 1'b1,
  parameter logic [3:0]  ArCache      = AxiBufferable,
  parameter logic [3:0]  AwCache      = AxiBufferable,
  parameter logic [2:0]  AxProt       = AxiData,
  parameter int unsigned AesKeyBits   = 128,
  parameter int unsigned AesMessages  = 4,   // of encryption
  parameter int unsigned AesStages    = 10,  // of decryption
  parameter int unsigned AesKeySlots  = 16,
  parameter bit          AesTable     = 1'b1
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [PageLog2+PageWidth-1:0] s_axil_awaddr,
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
  input  logic [PageLog2+PageWidth-1:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,

  output logic [1:0]  m_axi_arid,
  output logic [63:0] m_axi_araddr,
  output logic [7:0]  m_axi_arlen,
  output logic [2:0]  m_axi_arsize,
  output logic [1:0]  m_axi_arburst,
  output logic [3:0]  m_axi_arcache,
  output logic [2:0]  m_axi_arprot,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic [1:0]  m_axi_rid,
  input  logic [63:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready,
  output logic [1:0]  m_axi_awid,
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
  input  logic [1:0]  m_axi_bid,
  input  logic [1:0]  m_axi_bresp,
  input  logic        m_axi_bvalid,
  output logic        m_axi_bready,

  // jobs of RSA as packets; tie tvalid low and tready high when unused
  input  logic [31:0] s_axis_tdata,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready,

  output logic [Engines*Lines-1:0] irq_o
);

  logic reset_n;  // of all but garner_top, which has buffers of its own

  reset_buffer u_reset (
    .clk_i,
    .rst_ni,
    .rst_no(reset_n)
  );

  axil_request_t                axil_request;
  axil_response_t               axil_response;
  axil_request_t [Engines-1:0]  page_requests;
  axil_response_t [Engines-1:0] page_responses;

  assign axil_request = '{awaddr: s_axil_awaddr[PageLog2-1:0], awvalid: s_axil_awvalid, wdata: s_axil_wdata,
                          wstrb: s_axil_wstrb, wvalid: s_axil_wvalid, bready: s_axil_bready,
                          araddr: s_axil_araddr[PageLog2-1:0], arvalid: s_axil_arvalid, rready: s_axil_rready};
  assign {s_axil_awready, s_axil_wready, s_axil_bresp, s_axil_bvalid, s_axil_arready, s_axil_rdata, s_axil_rresp,
          s_axil_rvalid} = axil_response;

  axil_pages #(
    .Pages(Engines)
  ) u_pages (
    .clk_i,
    .rst_ni    (reset_n),
    .s_axil_i  (axil_request),
    .s_awpage_i(s_axil_awaddr[PageLog2+:PageWidth]),
    .s_arpage_i(s_axil_araddr[PageLog2+:PageWidth]),
    .s_axil_o  (axil_response),
    .pages_o   (page_requests),
    .pages_i   (page_responses)
  );

  axi_request_t               axi_request;
  axi_response_t              axi_response;
  axi_request_t [Engines-1:0] masters;
  axi_response_t [Engines-1:0] answers;
  logic [Engines-1:0][63:0]   wdata;
  logic [Engines-1:0][7:0]    wstrb;

  // Answers cross a register, as who takes one depends on its ID; behind data come others, or zeros
  logic [1:0]  rid, bid, rresp, bresp;
  logic [63:0] rdata;
  logic        rlast, rvalid, bvalid;

  skid_buffer #(
    .Width(69)
  ) u_r (
    .clk_i,
    .rst_ni     (reset_n),
    .in_valid_i (m_axi_rvalid),
    .in_ready_o (m_axi_rready),
    .in_data_i  (m_axi_rvalid ? {m_axi_rid, m_axi_rlast, m_axi_rresp, m_axi_rdata} : '0),
    .out_valid_o(rvalid),
    .out_ready_i(axi_request.rready),
    .out_data_o ({rid, rlast, rresp, rdata})
  );

  skid_buffer #(
    .Width(4)
  ) u_b (
    .clk_i,
    .rst_ni     (reset_n),
    .in_valid_i (m_axi_bvalid),
    .in_ready_o (m_axi_bready),
    .in_data_i  ({m_axi_bid, m_axi_bresp}),
    .out_valid_o(bvalid),
    .out_ready_i(axi_request.bready),
    .out_data_o ({bid, bresp})
  );

  // So do addresses of writes: axi_mux shows no data before their address is taken, and a slave may wait for both
  logic [1:0] awid;
  logic       awready;

  skid_buffer #(
    .Width(74)
  ) u_aw (
    .clk_i,
    .rst_ni     (reset_n),
    .in_valid_i (axi_request.awvalid),
    .in_ready_o (awready),
    .in_data_i  ({awid, axi_request.awaddr, axi_request.awlen}),
    .out_valid_o(m_axi_awvalid),
    .out_ready_i(m_axi_awready),
    .out_data_o ({m_axi_awid, m_axi_awaddr, m_axi_awlen})
  );

  assign {m_axi_araddr, m_axi_arlen, m_axi_arvalid, m_axi_wlast, m_axi_wvalid} =
      {axi_request.araddr, axi_request.arlen, axi_request.arvalid, axi_request.wlast, axi_request.wvalid};
  assign axi_response = '{arready: m_axi_arready, rresp: rresp, rlast: rlast, rvalid: rvalid,
                          awready: awready, wready: m_axi_wready, bresp: bresp, bvalid: bvalid};
  assign m_axi_arsize  = 3'd3;
  assign m_axi_arburst = AxiIncrementing;
  assign m_axi_arcache = ArCache;
  assign m_axi_arprot  = AxProt;
  assign m_axi_awsize  = 3'd3;
  assign m_axi_awburst = AxiIncrementing;
  assign m_axi_awcache = AwCache;
  assign m_axi_awprot  = AxProt;

  axi_mux #(
    .Masters(Engines),
    .Width  (64)
  ) u_mux (
    .clk_i,
    .rst_ni         (reset_n),
    .masters_i      (masters),
    .masters_wdata_i(wdata),
    .masters_wstrb_i(wstrb),
    .masters_o      (answers),
    .m_axi_o        (axi_request),
    .m_axi_arid_o   (m_axi_arid),
    .m_axi_awid_o   (awid),
    .m_axi_wdata_o  (m_axi_wdata),
    .m_axi_wstrb_o  (m_axi_wstrb),
    .m_axi_i        (axi_response),
    .m_axi_rid_i    (rid),
    .m_axi_bid_i    (bid)
  );

  // RSA. What garner_top says of every transfer is said above for all.
  logic [1:0]  rsa_ids, rsa_bursts_ar, rsa_bursts_aw;
  logic [2:0]  rsa_sizes_ar, rsa_sizes_aw, rsa_prot_ar, rsa_prot_aw;
  logic [3:0]  rsa_cache_ar, rsa_cache_aw;
  logic        unused;
  assign unused = &{rsa_ids, rsa_bursts_ar, rsa_bursts_aw, rsa_sizes_ar, rsa_sizes_aw, rsa_prot_ar, rsa_prot_aw,
                    rsa_cache_ar, rsa_cache_aw, s_axil_awprot, s_axil_arprot};

  garner_top #(
    .Cores       (Cores),
    .WordBits    (WordBits),
    .Rows        (Rows),
    .MaxBits     (MaxBits),
    .KeySlots    (KeySlots),
    .BusWidth    (64),
    .MaxBeats    (MaxBeats),
    .OperandWords(OperandWords),
    .InFlight    (InFlight),
    .StreamPort  (StreamPort)
  ) u_rsa (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr (page_requests[PageRsa].awaddr),
    .s_axil_awprot (3'd0),
    .s_axil_awvalid(page_requests[PageRsa].awvalid),
    .s_axil_awready(page_responses[PageRsa].awready),
    .s_axil_wdata  (page_requests[PageRsa].wdata),
    .s_axil_wstrb  (page_requests[PageRsa].wstrb),
    .s_axil_wvalid (page_requests[PageRsa].wvalid),
    .s_axil_wready (page_responses[PageRsa].wready),
    .s_axil_bresp  (page_responses[PageRsa].bresp),
    .s_axil_bvalid (page_responses[PageRsa].bvalid),
    .s_axil_bready (page_requests[PageRsa].bready),
    .s_axil_araddr (page_requests[PageRsa].araddr),
    .s_axil_arprot (3'd0),
    .s_axil_arvalid(page_requests[PageRsa].arvalid),
    .s_axil_arready(page_responses[PageRsa].arready),
    .s_axil_rdata  (page_responses[PageRsa].rdata),
    .s_axil_rresp  (page_responses[PageRsa].rresp),
    .s_axil_rvalid (page_responses[PageRsa].rvalid),
    .s_axil_rready (page_requests[PageRsa].rready),
    .m_axi_arid    (rsa_ids[0]),
    .m_axi_araddr  (masters[PageRsa].araddr),
    .m_axi_arlen   (masters[PageRsa].arlen),
    .m_axi_arsize  (rsa_sizes_ar),
    .m_axi_arburst (rsa_bursts_ar),
    .m_axi_arcache (rsa_cache_ar),
    .m_axi_arprot  (rsa_prot_ar),
    .m_axi_arvalid (masters[PageRsa].arvalid),
    .m_axi_arready (answers[PageRsa].arready),
    .m_axi_rid     (1'b0),
    .m_axi_rdata   (rdata),
    .m_axi_rresp   (answers[PageRsa].rresp),
    .m_axi_rlast   (answers[PageRsa].rlast),
    .m_axi_rvalid  (answers[PageRsa].rvalid),
    .m_axi_rready  (masters[PageRsa].rready),
    .m_axi_awid    (rsa_ids[1]),
    .m_axi_awaddr  (masters[PageRsa].awaddr),
    .m_axi_awlen   (masters[PageRsa].awlen),
    .m_axi_awsize  (rsa_sizes_aw),
    .m_axi_awburst (rsa_bursts_aw),
    .m_axi_awcache (rsa_cache_aw),
    .m_axi_awprot  (rsa_prot_aw),
    .m_axi_awvalid (masters[PageRsa].awvalid),
    .m_axi_awready (answers[PageRsa].awready),
    .m_axi_wdata   (wdata[PageRsa]),
    .m_axi_wstrb   (wstrb[PageRsa]),
    .m_axi_wlast   (masters[PageRsa].wlast),
    .m_axi_wvalid  (masters[PageRsa].wvalid),
    .m_axi_wready  (answers[PageRsa].wready),
    .m_axi_bid     (1'b0),
    .m_axi_bresp   (answers[PageRsa].bresp),
    .m_axi_bvalid  (answers[PageRsa].bvalid),
    .m_axi_bready  (masters[PageRsa].bready),
    .s_axis_tdata,
    .s_axis_tlast,
    .s_axis_tvalid,
    .s_axis_tready,
    .m_axis_tdata,
    .m_axis_tlast,
    .m_axis_tvalid,
    .m_axis_tready,
    .irq_o         (irq_o[Lines*PageRsa+:Lines])
  );

  // AES: encryption, then decryption
  for (genvar engine = 0; engine < Engines; engine++) begin : gen_engine
    if (engine != PageRsa) begin : gen_aes
      localparam bit Decrypt = engine == PageAesDecryption;

      aes_core #(
        .Decrypt (Decrypt),
        .KeyBits (AesKeyBits),
        .Messages(Decrypt ? 1 : AesMessages),
        .Stages  (AesStages),
        .KeySlots(AesKeySlots),
        .BusWidth(64),
        .MaxBeats(MaxBeats),
        .Table   (AesTable)
      ) u_aes (
        .clk_i,
        .rst_ni       (reset_n),
        .s_axil_i     (page_requests[engine]),
        .s_axil_o     (page_responses[engine]),
        .m_axi_o      (masters[engine]),
        .m_axi_wdata_o(wdata[engine]),
        .m_axi_wstrb_o(wstrb[engine]),
        .m_axi_i      (answers[engine]),
        .m_axi_rdata_i(rdata),
        .irq_o        (irq_o[Lines*engine+:Lines])
      );
    end
  end

endmodule
