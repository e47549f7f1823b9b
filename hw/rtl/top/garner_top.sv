// SPDX-License-Identifier: Apache-2.0
// The accelerator: cores behind a shell. See docs/integration.md.
//
//   AXI4-Lite ---+                                  +-- link -- core 0
//   AXI4 --------+-- shell -- jobs -- dispatcher ---+-- link -- core 1
//   AXI4-Stream -+         <- answers               +-- ...
//
// Which core it is stands in one place: the module `garner_core` that is compiled with this one.
//
// Two private operations of 512 bits with one key on two cores of 8 rows, a memory that answers in two cycles:
//
//   cycle       bus                            core 0                  core 1
//   0           SUBMISSION_TAIL + 2
//   9-26        descriptor 0
//   33-67       its operands, descriptor 1
//   57-60                                      job, first operands
//   74-91       operands of descriptor 1
//   131-194                                    the other operands
//   197-200                                    computes                job, first operands
//   271-334                                    :                       the other operands
//   41370                                      response                computes
//   41377       address of result 0                                    :
//   41392-41472 its words, one in five cycles  its words               :
//   41480-41485 completion 0                   idle, for another job   :
//   41489       interrupt, if its job asks                             :
//   41511                                                              response
//   41518-41612 result 1                                               its words
//   41620-41625 completion 1
//   41629       interrupt: the ring is empty
//
// Contract    AXI signals are named as in the standard, without a suffix. One clock; `rst_ni` may be asserted at any
//             time, also within transactions if the bus is reset too, and is released synchronously to `clk_i`. Inside,
//             all leave it two cycles later; shell and cores have a `reset_buffer` each.
//             `s_axil_*prot` are ignored. The master uses one ID, incrementing bursts that stay within 4 KiB pages.
module garner_top
  import garner_pkg::*;
  import bus_pkg::*;
#(
  parameter int unsigned Cores        = 2,    // 1 to 32
  parameter int unsigned WordBits     = 18,   // of the cores: see `garner_core`
  parameter int unsigned Rows         = 15,   // at most 255, and see `rsa_core`
  parameter int unsigned MaxBits      = 4096,
  parameter int unsigned KeySlots     = 4,    // 1 to 255
  parameter int unsigned BusWidth     = 64,   // of the AXI4 master: 32 or 64
  parameter int unsigned MaxBeats     = 64,   // longest burst, a power of two up to 256
  parameter int unsigned OperandWords = 512,  // longest operand stream, a power of two to 32768; a key of MaxBits must fit
  parameter int unsigned InFlight     = 16,   // jobs between fetch and completion, a power of two; more than Cores
  parameter bit          StreamPort   = 1'b1,
  parameter logic [3:0]  ArCache      = AxiBufferable,  // of all reads, as the interconnect wants them
  parameter logic [3:0]  AwCache      = AxiBufferable,  // of all writes
  parameter logic [2:0]  AxProt       = AxiData         // of both: bit 0 privileged, 1 non-secure, 2 instruction
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // registers
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

  // host memory
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

  // jobs as packets; tie tvalid low and tready high when unused
  input  logic [31:0]           s_axis_tdata,
  input  logic                  s_axis_tlast,
  input  logic                  s_axis_tvalid,
  output logic                  s_axis_tready,
  output logic [31:0]           m_axis_tdata,
  output logic                  m_axis_tlast,
  output logic                  m_axis_tvalid,
  input  logic                  m_axis_tready,

  output logic [2:0]            irq_o            // completion, idle, error; levels
);

  if (Cores < 1 || Cores > 32) begin : gen_bad_cores
    $fatal(1, "garner_top: Cores must be 1 to 32");
  end
  if (InFlight <= Cores) begin : gen_bad_in_flight
    $fatal(1, "garner_top: InFlight must be more than Cores, or a core would wait for a descriptor");
  end
  // The longest operands are a key's: n, e, p, q, dp, dq, qinv.
  if (OperandWords < 7 * MaxBits / 64 + 1) begin : gen_bad_operand_words
    $fatal(1, "garner_top: OperandWords must hold a key of MaxBits");
  end

  to_dispatcher_t         to_dispatcher;
  from_dispatcher_t       from_dispatcher;
  logic                   dispatcher_idle, zeroise;
  to_core_t [Cores-1:0]   to_core;
  from_core_t [Cores-1:0] from_core;
  logic [Cores-1:0]       core_busy, core_busy_q, core_ready;
  logic [5:0]             busy_cores, busy_cores_q;

  always_comb begin
    busy_cores = '0;
    for (int unsigned i = 0; i < Cores; i++) busy_cores = busy_cores + 6'(core_busy_q[i]);
  end

  always_ff @(posedge clk_i) begin
    core_busy_q  <= core_busy;
    busy_cores_q <= busy_cores;
  end

  logic reset_n;  // of all but the cores

  reset_buffer u_reset (
    .clk_i,
    .rst_ni,
    .rst_no(reset_n)
  );

  // The ports, as bundles
  axil_request_t  axil_request;
  axil_response_t axil_response;
  axi_request_t   axi_request;
  axi_response_t  axi_response;
  axis_t          axis_out;

  assign axil_request = '{awaddr: s_axil_awaddr, awvalid: s_axil_awvalid, wdata: s_axil_wdata, wstrb: s_axil_wstrb,
                          wvalid: s_axil_wvalid, bready: s_axil_bready, araddr: s_axil_araddr, arvalid: s_axil_arvalid,
                          rready: s_axil_rready};
  assign s_axil_awready = axil_response.awready;
  assign s_axil_wready  = axil_response.wready;
  assign s_axil_bresp   = axil_response.bresp;
  assign s_axil_bvalid  = axil_response.bvalid;
  assign s_axil_arready = axil_response.arready;
  assign s_axil_rdata   = axil_response.rdata;
  assign s_axil_rresp   = axil_response.rresp;
  assign s_axil_rvalid  = axil_response.rvalid;
  assign m_axi_araddr  = axi_request.araddr;
  assign m_axi_arlen   = axi_request.arlen;
  assign m_axi_arvalid = axi_request.arvalid;
  assign m_axi_rready  = axi_request.rready;
  assign m_axi_awaddr  = axi_request.awaddr;
  assign m_axi_awlen   = axi_request.awlen;
  assign m_axi_awvalid = axi_request.awvalid;
  assign m_axi_wlast   = axi_request.wlast;
  assign m_axi_wvalid  = axi_request.wvalid;
  assign m_axi_bready  = axi_request.bready;
  assign axi_response = '{arready: m_axi_arready, rresp: m_axi_rresp, rlast: m_axi_rlast, rvalid: m_axi_rvalid,
                          awready: m_axi_awready, wready: m_axi_wready, bresp: m_axi_bresp, bvalid: m_axi_bvalid};
  assign m_axis_tdata  = axis_out.tdata;
  assign m_axis_tlast  = axis_out.tlast;
  assign m_axis_tvalid = axis_out.tvalid;

  shell #(
    .Cores       (Cores),
    .KeySlots    (KeySlots),
    .MaxBits     (MaxBits),
    .WordBits    (WordBits),
    .Rows        (Rows),
    .BusWidth    (BusWidth),
    .MaxBeats    (MaxBeats),
    .OperandWords(OperandWords),
    .InFlight    (InFlight),
    .StreamPort  (StreamPort)
  ) u_shell (
    .clk_i,
    .rst_ni           (reset_n),
    .s_axil_i         (axil_request),
    .s_axil_o         (axil_response),
    .m_axi_o          (axi_request),
    .m_axi_wdata_o    (m_axi_wdata),
    .m_axi_wstrb_o    (m_axi_wstrb),
    .m_axi_i          (axi_response),
    .m_axi_rdata_i    (m_axi_rdata),
    .s_axis_i         ('{tdata: s_axis_tdata, tlast: s_axis_tlast, tvalid: s_axis_tvalid}),
    .s_axis_tready_o  (s_axis_tready),
    .m_axis_o         (axis_out),
    .m_axis_tready_i  (m_axis_tready),
    .irq_o,
    .jobs_o           (to_dispatcher),
    .jobs_i           (from_dispatcher),
    .dispatcher_idle_i(dispatcher_idle),
    .cores_ready_i    (&core_ready),
    .zeroise_o        (zeroise),
    .busy_cores_i     (busy_cores_q)
  );

  assign m_axi_arid    = '0;
  assign m_axi_arsize  = 3'($clog2(BusWidth / 8));
  assign m_axi_arburst = AxiIncrementing;
  assign m_axi_arcache = ArCache;
  assign m_axi_arprot  = AxProt;
  assign m_axi_awid    = '0;
  assign m_axi_awsize  = 3'($clog2(BusWidth / 8));
  assign m_axi_awburst = AxiIncrementing;
  assign m_axi_awcache = AwCache;
  assign m_axi_awprot  = AxProt;

  logic unused_axi;
  assign unused_axi = &{s_axil_awprot, s_axil_arprot, m_axi_rid, m_axi_bid};

  dispatcher #(
    .Cores(Cores)
  ) u_dispatcher (
    .clk_i,
    .rst_ni (reset_n),
    .jobs_i (to_dispatcher),
    .jobs_o (from_dispatcher),
    .idle_o (dispatcher_idle),
    .cores_o(to_core),
    .cores_i(from_core)
  );

  for (genvar i = 0; i < Cores; i++) begin : gen_core
    to_core_t   to_this;
    from_core_t from_this;
    logic       this_busy, this_zeroise;

    core_link u_link (
      .clk_i,
      .rst_ni        (reset_n),
      .jobs_i        (to_core[i]),
      .jobs_o        (from_core[i]),
      .zeroise_i     (zeroise),
      .busy_o        (core_busy[i]),
      .ready_o       (core_ready[i]),
      .core_jobs_o   (to_this),
      .core_jobs_i   (from_this),
      .core_zeroise_o(this_zeroise),
      .core_busy_i   (this_busy)
    );

    garner_core #(
      .WordBits(WordBits),
      .Rows    (Rows),
      .MaxBits (MaxBits),
      .KeySlots(KeySlots)
    ) u_core (
      .clk_i,
      .rst_ni,
      .jobs_i   (to_this),
      .jobs_o   (from_this),
      .zeroise_i(this_zeroise),
      .busy_o   (this_busy)
    );
  end

endmodule
