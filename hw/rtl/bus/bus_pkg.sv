// SPDX-License-Identifier: Apache-2.0
// What travels between the parts of the shell, and the codes of AXI. Formats in host memory: ring_pkg, descriptor_pkg.
package bus_pkg;

  import garner_pkg::*;

  /* verilator lint_off UNUSEDPARAM */ // not every module that knows the package uses all of it
  localparam logic [1:0]  AxiOkay         = 2'b00;
  localparam logic [1:0]  AxiIncrementing = 2'b01;
  localparam logic [3:0]  AxiBufferable   = 4'b0011;  // normal memory, not cacheable
  localparam logic [2:0]  AxiData         = 3'b010;   // unprivileged, non-secure, data
  localparam int unsigned PageBytes       = 4096;     // which no burst may cross
  /* verilator lint_on UNUSEDPARAM */

  // One end of a job, as it leaves the dispatcher.
  typedef struct packed {
    status_e     status;
    logic [15:0] tag;
    logic        source;      // 0: the descriptor ring; 1: the AXI4-Stream port
    logic        has_result;  // result words follow
    logic [31:0] cycles;      // from the core's taking the job to its answer
  } answer_t;

  // Of a job that a descriptor brought: what its completion needs.
  typedef struct packed {
    logic [15:0] index;          // of the descriptor in its ring, modulo 2^16
    logic [15:0] tag;
    logic        marked;         // interrupt when it is completed
    logic [60:0] result_address; // in units of 8 bytes
    logic [15:0] result_words;
  } context_t;

endpackage
