// SPDX-License-Identifier: Apache-2.0
// A core of nothing but flip-flops at its ports, to place the shell and the dispatcher without the cores' own paths: see
// garner_hw/measure/full.py. Everything that comes in goes, mixed, into everything that goes out.
/* verilator lint_off DECLFILENAME */ // it takes the place of another
module garner_core
  import garner_pkg::*;
  import bus_pkg::*;
#(
  /* verilator lint_off UNUSEDPARAM */ // those of any core
  parameter int unsigned WordBits = 18,
  parameter int unsigned Rows     = 15,
  parameter int unsigned MaxBits  = 4096,
  parameter int unsigned KeySlots = 4
  /* verilator lint_on UNUSEDPARAM */
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  to_core_t    jobs_i,
  output from_core_t  jobs_o,
  input  logic        zeroise_i,
  output logic        busy_o
);

  localparam int unsigned InWidth  = $bits(to_core_t) + 1;
  localparam int unsigned OutWidth = $bits(from_core_t) + 1;

  logic [InWidth-1:0]  in_q;
  logic [OutWidth-1:0] out_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q  <= '0;
      out_q <= '0;
    end else begin
      in_q  <= {jobs_i, zeroise_i};
      out_q <= in_q[OutWidth-1:0] ^ OutWidth'(in_q[InWidth-1:OutWidth]);
    end
  end

  assign {jobs_o, busy_o} = out_q;

endmodule
