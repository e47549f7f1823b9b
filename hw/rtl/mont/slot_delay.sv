// SPDX-License-Identifier: Apache-2.0
// Delay line of the flags that go with the words. Unlike `delay` it is reset: nothing of a job that a reset cut off may
// be written to memory afterwards.
//
//   cycle     0    1    2    3    4    5    6    7    8         Cycles = 3
//   slot_i    A    B    C    D         E
//   rst_ni    1    1    1    1    0    1    1    1    1
//   slot_o    0    0    0    A    0    0    0    0    E
//
// Contract    `slot_o` is `slot_i` of `Cycles` cycles ago; all zero, so not valid, where a reset lies between.
module slot_delay
  import mont_pkg::*;
#(
  parameter int unsigned Cycles = 5  // at least 1
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  input  slot_t slot_i,
  output slot_t slot_o
);

  slot_t line_q[Cycles];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Cycles; i++) line_q[i] <= '0;
    end else begin
      line_q[0] <= slot_i;
      for (int unsigned i = 1; i < Cycles; i++) line_q[i] <= line_q[i-1];
    end
  end
  assign slot_o = line_q[Cycles-1];

endmodule
