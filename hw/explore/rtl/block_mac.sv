// SPDX-License-Identifier: Apache-2.0
// p = t + x * y in multiplier blocks of the family, with the registers that lie in them.
//
//   cycle      0    1    2    3    4    5      W at most BlockWidth       W up to 2 * BlockWidth
//   x,y,t_i    A
//   product                   A                Stages = 3 + Add           3: four products of half words
//   p_o                       A                without t (Add = 0)        4: the inner two; the outer two with t
//   p_o                            A           with t                     5: their sum: Stages = 5
//
// Why not the operator: Yosys leaves the registers of a block unused, which is then the slowest path by far.
//
// Contract    Stages as above. p < 2^(2W) always.
module block_mac #(
  parameter  int unsigned W          = 16,
  parameter  int unsigned Stages     = 4,
  parameter  bit          Add        = 1'b1,
  localparam int unsigned BlockWidth = 18  // of an ECP5; Xilinx 7 takes 17
) (
  input  logic           clk_i,
  input  logic [W-1:0]   x_i,
  input  logic [W-1:0]   y_i,
  input  logic [W-1:0]   t_i,
  output logic [2*W-1:0] p_o
);

  localparam bit Single = W <= BlockWidth;

  if (Stages != (Single ? 3 + int'(Add) : 5)) begin : gen_bad_stages
    $error("block_mac: Stages must be 3 + Add, or 5 for a word of more than 18 bits");
  end
  if (W > 2 * BlockWidth || (!Single && W % 2 != 0)) begin : gen_bad_word
    $error("block_mac: W must be at most 18, or even and at most 36");
  end

  logic [W-1:0] t;
  if (Add) begin : gen_t
    delay #(.Width(W), .Cycles(3)) u_t (.clk_i, .d_i(t_i), .q_o(t));
  end else begin : gen_no_t
    logic unused_t;
    assign t = '0;
    assign unused_t = ^{t_i, t};
  end

  if (Single) begin : gen_single
    logic [2*W-1:0] product;
    multiplier #(.Width(W)) u_block (.clk_i, .a_i(x_i), .b_i(y_i), .product_o(product));
    if (Add) begin : gen_add
      always_ff @(posedge clk_i) p_o <= product + (2*W)'(t);
    end else begin : gen_plain
      assign p_o = product;
    end
  end else begin : gen_four
    localparam int unsigned Half = W / 2;
    logic [1:0][1:0][W-1:0] product;  // [half of x][half of y]
    for (genvar i = 0; i < 2; i++) begin : gen_x
      for (genvar j = 0; j < 2; j++) begin : gen_y
        multiplier #(.Width(Half)) u_block (
          .clk_i, .a_i(x_i[i*Half+:Half]), .b_i(y_i[j*Half+:Half]), .product_o(product[i][j])
        );
      end
    end
    logic [W:0]     middle_q;
    logic [2*W-1:0] outer_q;
    always_ff @(posedge clk_i) begin
      middle_q <= {1'b0, product[0][1]} + {1'b0, product[1][0]};
      outer_q  <= {product[1][1], product[0][0]} + (Add ? (2*W)'(t) : '0);
      p_o      <= {outer_q[2*W-1:Half] + (2*W-Half)'(middle_q), outer_q[Half-1:0]};
    end
  end

endmodule
