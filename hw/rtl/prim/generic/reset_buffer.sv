// SPDX-License-Identifier: Apache-2.0
// A reset for many flip-flops that may lie anywhere: over a global network, where the family has one. Behavioural twin.
//
//   cycle      0    1    2    3
//   rst_ni     0    1    1    1      asserted at once, released two cycles later: the first flip-flop lies where the
//   rst_no     0    0    0    1      wire from `rst_ni` is short, the second at the entrance of the network
//
// Contract    `rst_ni` is released synchronously to `clk_i`, and so is `rst_no`; both are asserted at any time, without
//             a clock.
module reset_buffer (
  input  logic clk_i,
  input  logic rst_ni,  // released synchronously to clk_i
  output logic rst_no
);

  logic first_q, reset_q;  // active high, as the flip-flops behind the network take it
  assign rst_no = !reset_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_q <= 1'b1;
    else first_q <= 1'b0;
  end

  always_ff @(posedge clk_i or posedge first_q) begin
    if (first_q) reset_q <= 1'b1;
    else reset_q <= 1'b0;
  end

endmodule
