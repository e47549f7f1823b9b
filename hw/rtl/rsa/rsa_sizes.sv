// SPDX-License-Identifier: Apache-2.0
// Counts what a length in bits means for `mont`: words, passes, digits = passes * Rows, and the stride of a region.
//
//   cycle    0   1  ..  words+3  words+4
//   start_i  1
//   busy_o   0   1  ..  1        0         sizes_o holds from here on
//
// words = ceil((bits + W + 2) / W): numbers stay below 2 * N~ < 2^(bits + W + 1); see `mont`.
//
// Contract    start_i comes while busy_o is low; bits_i is looked at with it. sizes_o holds until the next start_i:
//             passes = ceil(words / Rows), and the stride, 32 to 512 words, is more than the words, which are below
//             512. digits are below 1024: Rows for which they were not are refused by rsa_core. The time depends on
//             bits_i alone. Reset: idle; sizes_o means nothing before the first count.
module rsa_sizes
  import rsa_pkg::sizes_t;
  import rsa_pkg::stride_t;
#(
  parameter int unsigned W    = 18,
  parameter int unsigned Rows = 15
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic [12:0] bits_i,
  output logic        busy_o,
  output sizes_t      sizes_o
);

  localparam int unsigned RowWidth = $clog2(Rows + 1);
  logic start_q;
  logic [12:0] bits_q;
  logic [14:0] left_q;          // bits not yet in a word; negative or zero: done
  logic word_q, counting_q;     // one more word; there may be more
  logic [RowWidth-1:0] row_q;
  logic row_first_q;            // row_q is zero
  sizes_t sizes_q;
  stride_t stride_q;            // a power of two, more than the words

  always_ff @(posedge clk_i) begin
    stride_q <= sizes_q.words[8] ? 5'd16 : sizes_q.words[7] ? 5'd8 : sizes_q.words[6] ? 5'd4 : sizes_q.words[5] ? 5'd2
                : 5'd1;
    bits_q   <= bits_i;
    if (!counting_q) left_q <= 15'(bits_q) + 15'(W + 2 - 1);
    else left_q <= left_q - 15'(W);
    if (start_i) begin
      sizes_q     <= '0;
      row_q       <= '0;
      row_first_q <= 1'b1;
    end else if (word_q) begin
      sizes_q.words <= sizes_q.words + 1'b1;
      row_q         <= row_q == RowWidth'(Rows - 1) ? '0 : row_q + 1'b1;
      row_first_q   <= row_q == RowWidth'(Rows - 1);
      if (row_first_q) begin
        sizes_q.passes <= sizes_q.passes + 1'b1;
        sizes_q.digits <= sizes_q.digits + 10'(Rows);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q    <= 1'b0;
      counting_q <= 1'b0;
      word_q     <= 1'b0;
      busy_o     <= 1'b0;
    end else begin
      start_q    <= start_i;
      counting_q <= start_q || (counting_q && !left_q[14]);
      word_q     <= counting_q && !left_q[14];
      busy_o     <= start_i || start_q || counting_q || word_q;
    end
  end

  always_comb begin
    sizes_o = sizes_q;
    sizes_o.stride = stride_q;
  end

endmodule
