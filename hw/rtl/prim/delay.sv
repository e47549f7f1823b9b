// SPDX-License-Identifier: Apache-2.0
// Delay line: a word comes out `Cycles` cycles after it went in.
//
//   cycle  0   1   2   3         Cycles = 2
//   d_i    A   B   C   D
//   q_o    -   -   A   B
//
// Contract    `q_o` is `d_i` of `Cycles` cycles ago. No reset: what leaves in the first `Cycles` cycles is unknown.
module delay #(
  parameter int unsigned Width  = 1,
  parameter int unsigned Cycles = 1   // 0: a wire
) (
  input  logic             clk_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  if (Cycles == 0) begin : gen_wire
    logic unused_clk;
    assign unused_clk = clk_i;
    assign q_o = d_i;
  end else begin : gen_line
    logic [Width-1:0] line_q[Cycles];
    always_ff @(posedge clk_i) begin
      line_q[0] <= d_i;
      for (int unsigned i = 1; i < Cycles; i++) line_q[i] <= line_q[i-1];
    end
    assign q_o = line_q[Cycles-1];
  end

endmodule
