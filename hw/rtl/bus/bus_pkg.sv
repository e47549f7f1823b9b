// SPDX-License-Identifier: Apache-2.0
// What travels between buses, shell, dispatcher and cores, and the codes of AXI. Formats in host memory: ring_pkg,
// descriptor_pkg.
package bus_pkg;

  import garner_pkg::*;

  /* verilator lint_off UNUSEDPARAM */ // not every module that knows the package uses all of it
  localparam logic [1:0]  AxiOkay         = 2'b00;
  localparam logic [1:0]  AxiIncrementing = 2'b01;
  localparam logic [3:0]  AxiBufferable   = 4'b0011;  // normal memory, not cacheable
  localparam logic [2:0]  AxiData         = 3'b010;   // unprivileged, non-secure, data
  localparam int unsigned PageBytes       = 4096;     // which no burst may cross
  localparam int unsigned AddressZeros    = $clog2(ring_pkg::AddressAlignment);  // low bits of an address that are 0
  localparam int unsigned WordZeros       = $clog2(DataWidth / 8);               // those of a length in bytes, of whole words
  /* verilator lint_on UNUSEDPARAM */

  // One end of a job, as it leaves the dispatcher.
  typedef struct packed {
    ring_pkg::status_t status;
    logic [15:0] tag;
    logic        source;      // 0: the descriptor ring; 1: the AXI4-Stream port
    logic        has_result;  // result words follow
    logic [31:0] cycles;      // from the core's taking the job to its answer
  } answer_t;

  // Of a job that a descriptor brought: what its completion needs.
  typedef struct packed {
    logic [15:0]            index;          // of the descriptor in its ring, modulo 2^16
    logic [15:0]            tag;
    logic                   marked;         // interrupt when it is completed
    logic [63:AddressZeros] result_address;
    logic [15:0]            result_words;
  } context_t;

  // A job that ends without a core.
  typedef struct packed {
    logic              valid;
    ring_pkg::status_t status;
    context_t          job_context;
  } reject_t;

  // ---- Words of 32 bits in host memory; the other side's readiness is beside these
  // What is to be read or written: dma_read and dma_write are asked for it.
  typedef struct packed {
    logic        valid;
    logic [63:0] address;
    logic [15:0] words;
  } command_t;

  // What was read, a word at a time.
  typedef struct packed {
    logic        valid;
    logic        last;   // of its command
    logic        error;  // with last: some of it could not be read
    logic [31:0] data;
  } read_word_t;

  // What is to be written.
  typedef struct packed {
    logic        valid;
    logic [31:0] data;
  } write_word_t;

  // ---- Links: a job with its operands one way, its answer with its result the other; a valid and a ready for each
  typedef struct packed {
    logic                 last;
    logic [DataWidth-1:0] data;
  } word_t;

  // Of a core: what it is given, and what it gives.
  typedef struct packed {
    logic  job_valid;
    job_t  job;
    logic  operand_valid;
    word_t operand;
    logic  response_ready;
    logic  result_ready;
  } to_core_t;

  typedef struct packed {
    logic      job_ready;
    logic      operand_ready;
    logic      response_valid;
    response_t response;
    logic      result_valid;
    word_t     result;
  } from_core_t;

  // Of the dispatcher, and of each source of its jobs: the same, with the source of a job, and answers in place of responses.
  typedef struct packed {
    logic  job_valid;
    job_t  job;
    logic  source;
    logic  operand_valid;
    word_t operand;
    logic  answer_ready;
    logic  result_ready;
  } to_dispatcher_t;

  typedef struct packed {
    logic    job_ready;
    logic    operand_ready;
    logic    answer_valid;
    answer_t answer;
    logic    result_valid;
    word_t   result;
  } from_dispatcher_t;

  // ---- Buses: what the master of a bus drives, and what the other side does. Signals are named as in the standard.
  typedef struct packed {
    logic [11:0] awaddr;
    logic        awvalid;
    logic [31:0] wdata;
    logic [3:0]  wstrb;
    logic        wvalid;
    logic        bready;
    logic [11:0] araddr;
    logic        arvalid;
    logic        rready;
  } axil_request_t;

  typedef struct packed {
    logic        awready;
    logic        wready;
    logic [1:0]  bresp;
    logic        bvalid;
    logic        arready;
    logic [31:0] rdata;
    logic [1:0]  rresp;
    logic        rvalid;
  } axil_response_t;

  // Of AXI4; data and strobes are beside it, for their width is a parameter. Each is {read half, write half}: those below, of
  // who only reads or only writes.
  typedef struct packed {
    logic [63:0] araddr;
    logic [7:0]  arlen;
    logic        arvalid;
    logic        rready;
    logic [63:0] awaddr;
    logic [7:0]  awlen;
    logic        awvalid;
    logic        wlast;
    logic        wvalid;
    logic        bready;
  } axi_request_t;

  typedef struct packed {
    logic        arready;
    logic [1:0]  rresp;
    logic        rlast;
    logic        rvalid;
    logic        awready;
    logic        wready;
    logic [1:0]  bresp;
    logic        bvalid;
  } axi_response_t;

  typedef struct packed {
    logic [63:0] araddr;
    logic [7:0]  arlen;
    logic        arvalid;
    logic        rready;
  } axi_read_request_t;

  typedef struct packed {
    logic        arready;
    logic [1:0]  rresp;
    logic        rlast;
    logic        rvalid;
  } axi_read_response_t;

  typedef struct packed {
    logic [63:0] awaddr;
    logic [7:0]  awlen;
    logic        awvalid;
    logic        wlast;
    logic        wvalid;
    logic        bready;
  } axi_write_request_t;

  typedef struct packed {
    logic        awready;
    logic        wready;
    logic [1:0]  bresp;
    logic        bvalid;
  } axi_write_response_t;

  typedef struct packed {
    logic [31:0] tdata;
    logic        tlast;
    logic        tvalid;
  } axis_t;

endpackage
