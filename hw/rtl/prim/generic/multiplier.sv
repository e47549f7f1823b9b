// SPDX-License-Identifier: Apache-2.0
// Multiplier with registers at its inputs and output, unsigned. Behavioural twin: any simulator, any family.
//
//   cycle        0    1    2    3       PipelineRegister = 1; one cycle less without
//   a_i, b_i     A
//   product_o                   A*B
//
// Contract    product_o is a_i * b_i of 3 cycles ago (2 without PipelineRegister), in every cycle. No enable, and no
//             reset: the product is unknown until operands have been given. Width: at most 18 on ECP5, 17 on Xilinx 7.
module multiplier #(
  parameter int unsigned Width            = 18,
  parameter bit          PipelineRegister = 1'b1
) (
  input  logic               clk_i,
  input  logic [Width-1:0]   a_i,
  input  logic [Width-1:0]   b_i,
  output logic [2*Width-1:0] product_o
);

  logic [Width-1:0] a_q, b_q;
  logic [2*Width-1:0] product_d;

  always_ff @(posedge clk_i) begin
    a_q       <= a_i;
    b_q       <= b_i;
    product_o <= product_d;
  end

  if (PipelineRegister) begin : gen_pipeline
    always_ff @(posedge clk_i) product_d <= (2*Width)'(a_q) * (2*Width)'(b_q);
  end else begin : gen_direct
    assign product_d = (2*Width)'(a_q) * (2*Width)'(b_q);
  end

endmodule
