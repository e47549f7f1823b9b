// SPDX-License-Identifier: Apache-2.0
// A reset for many flip-flops that may lie anywhere, over a global network of the 7 series: a BUFG.
//
//   cycle      0    1    2    3
//   rst_ni     0    1    1    1
//   reset_q    1    1    1    0      at the entrance of the BUFG
//   rst_no     0    0    0    1      behind it
//
// Contract    See the generic twin.
// Source      Xilinx UG472 (7 series clocking resources).
module reset_buffer (
  input  logic clk_i,
  input  logic rst_ni,
  output logic rst_no
);

  logic first_q, reset_q, reset;
  assign rst_no = !reset;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_q <= 1'b1;
    else first_q <= 1'b0;
  end

  always_ff @(posedge clk_i or posedge first_q) begin
    if (first_q) reset_q <= 1'b1;
    else reset_q <= 1'b0;
  end

  BUFG u_cell (
    .I(reset_q),
    .O(reset)
  );

endmodule
