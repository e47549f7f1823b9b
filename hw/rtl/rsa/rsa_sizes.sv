// Counts what a length in bits means for `mont`: words, passes, digits = passes * Rows, and the stride of a region.
//
//   cycle    0      1 ... words+1
//   start_i  1
//   busy_o          1       0      sizes_o from here on
//
// words = ceil((bits + W + 2) / W): numbers stay below 2 * N~ < 2^(bits + W + 1); see `mont`.
module rsa_sizes
  import rsa_pkg::sizes_t;
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
  logic [14:0] left_q;  // bits not yet in a word; negative or zero: done
  logic [RowWidth-1:0] row_q;
  sizes_t sizes_q;

  always_ff @(posedge clk_i) begin
    if (!busy_o) begin
      left_q  <= 15'(bits_i) + 15'(W + 2 - 1);
      row_q   <= '0;
      if (start_i) sizes_q <= '0;
    end else begin
      left_q <= left_q - 15'(W);
      if (!left_q[14]) begin
        sizes_q.words <= sizes_q.words + 1'b1;
        row_q         <= row_q == RowWidth'(Rows - 1) ? '0 : row_q + 1'b1;
        if (row_q == '0) begin
          sizes_q.passes <= sizes_q.passes + 1'b1;
          sizes_q.digits <= sizes_q.digits + 10'(Rows);
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_o <= 1'b0;
    else if (start_i) busy_o <= 1'b1;
    else if (left_q[14]) busy_o <= 1'b0;
  end

  // The stride of a region: a power of two, more than the words
  always_comb begin
    sizes_o = sizes_q;
    sizes_o.stride = 4'd5;
    for (int unsigned i = 5; i < 9; i++) if (sizes_q.words[i]) sizes_o.stride = 4'(i + 1);
  end

endmodule
