// SPDX-License-Identifier: Apache-2.0
// Multiply-add without a multiplier block: p = t + x * y, in one carry chain for each radix-4 Booth digit of y.
//
// Each digit of y selects 0, +-x or +-2x and adds it to the running sum, which starts as t: adding t costs nothing.
// Digit, selection and addition fit one 6-input LUT a bit (five inputs select, the sixth is the sum), so that a word
// takes about (W/2 + 1) * (W + 4) LUTs where a tree of single-bit products takes two to three times as many.
//
//   cycle     0      1      2     ...   Stages
//   x,t_i     A      B
//   y_i[0]    for A  for B                        digits 0 .. of the first stage
//   y_i[1]           for A  for B                 digits of the second stage
//   p_o                                   A
//
// Parameters  W word bits, even; Stages the registers the chains are spread over (1 .. W/2 + 1).
// Contract    y_i[s] is the multiplier of what entered s cycles ago. p < 2^(2W) always.
// Source      Booth 1951; one LUT a bit and digit: Kumm, Abbas, Shafiq 2015 (EUC), Walters 2016.
module booth_mac #(
  parameter int unsigned W      = 16,
  parameter int unsigned Stages = 1
) (
  input  logic                     clk_i,
  input  logic [W-1:0]             x_i,
  input  logic [W-1:0]             t_i,
  input  logic [Stages-1:0][W-1:0] y_i,
  output logic [2*W-1:0]           p_o
);

  localparam int unsigned Digits = W / 2 + 1;  // the last is 0 or 1: y is not signed

  if (W % 2 != 0) begin : gen_odd_word
    $error("booth_mac: W must be even");
  end
  if (Stages < 1 || Stages > Digits) begin : gen_bad_stages
    $error("booth_mac: Stages must be 1 to W/2 + 1");
  end

  function automatic int unsigned stage_of(int unsigned digit);
    return digit * Stages / Digits;
  endfunction

  logic [W-1:0] x[Stages];
  assign x[0] = x_i;
  for (genvar s = 1; s < Stages; s++) begin : gen_x
    always_ff @(posedge clk_i) x[s] <= x[s-1];
  end

  for (genvar i = 0; i < Digits; i++) begin : gen_digit
    localparam int unsigned Stage = stage_of(i);

    logic [W+2:0] sum_in;   // signed: what the digits below have left, in units of 4^i
    logic [W+2:0] sum_out;
    if (i == 0) begin : gen_first
      assign sum_in = {3'b0, t_i};
    end else if (Stage != stage_of(i - 1)) begin : gen_register
      always_ff @(posedge clk_i) sum_in <= {{2{gen_digit[i-1].sum_out[W+2]}}, gen_digit[i-1].sum_out[W+2:2]};
    end else begin : gen_wire
      assign sum_in = {{2{gen_digit[i-1].sum_out[W+2]}}, gen_digit[i-1].sum_out[W+2:2]};
    end

    if (i == Digits - 1) begin : gen_last  // what is left fits a word: no sign
      logic [W-1:0] high;
      assign high = sum_in[W-1:0] + (y_i[Stage][W-1] ? x[Stage] : '0);
      assign sum_out = {3'b0, high};
      always_ff @(posedge clk_i) p_o[2*W-1:W] <= high;
      logic unused;
      assign unused = ^{sum_in[W+2:W], sum_out};
    end else begin : gen_add
      logic [2:0]   digit;
      logic         negative;
      logic [W+2:0] addend;
      logic [W+3:0] sum;
      if (i == 0) begin : gen_lowest
        assign digit = {y_i[Stage][1:0], 1'b0};
      end else begin : gen_higher
        assign digit = y_i[Stage][2*i+1 -: 3];
      end
      assign negative = digit[2] && digit[1:0] != 2'b11;
      always_comb begin
        unique case (digit)
          3'b001, 3'b010: addend = {3'b0, x[Stage]};
          3'b011:         addend = {2'b0, x[Stage], 1'b0};
          3'b100:         addend = ~{2'b0, x[Stage], 1'b0};
          3'b101, 3'b110: addend = ~{3'b0, x[Stage]};
          default:        addend = '0;
        endcase
      end
      assign sum = {sum_in, 1'b1} + {addend, negative};  // the lowest bit carries the one of the two's complement
      assign sum_out = sum[W+3:1];
      logic unused_lowest;
      assign unused_lowest = sum[0];
      delay #(.Width(2), .Cycles(Stages - Stage)) u_low (.clk_i, .d_i(sum[2:1]), .q_o(p_o[2*i +: 2]));
    end
  end

endmodule
