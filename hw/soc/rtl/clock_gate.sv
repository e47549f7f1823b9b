// SPDX-License-Identifier: Apache-2.0
// A clock that stands while its part has nothing to do: less energy, and a simulation that is several times as fast
// while software computes.
//
//   cycle     0    1    2   ..   Tail+1  Tail+2
//   run_i     0    1    0         0        0
//   clk_o     0    0    ^         ^        0       ^: an edge; the one that ends the cycle of run_i is the first
//
// Contract    run_i is of clk_i's flip-flops. Every edge of clk_i that ends a cycle with run_i, and those of Tail cycles
//             more, is one of clk_o, at the same time. The part must not change for want of edges once it is at rest for
//             Tail cycles. Reset: clk_o runs.
module clock_gate #(
  parameter int unsigned Tail = 63
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic run_i,
  output logic clk_o
);

  localparam int unsigned Width = $clog2(Tail + 1);
  logic [Width-1:0] left_q;
  logic run, run_latch;
  assign run = run_i || left_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= Width'(Tail);
    else if (run_i) left_q <= Width'(Tail);
    else left_q <= left_q - Width'(run);
  end
  always_latch begin
    if (!clk_i) run_latch = run;  // transparent while the clock is low: no edge is cut
  end
  assign clk_o = clk_i && run_latch;

endmodule
