// The operand stream as words of W bits: 32-bit words in, W-bit words out, operand by operand, zeros behind each.
//
//   cycle         0    1    2    3    4    5
//   begin_i       1                                 an operand of `count_i` 32-bit words begins
//   in_data_i          A    B                       taken while there is room
//   word_valid_o                 1    0    1        W bits are there, or the operand is exhausted (zeros without end)
//   word_pop_i                   1         1        a word every other cycle: word_o is a register, filled when empty
//
// The stream ends with in_last_i. Does it end before the operand does, `short_o` says so until reset or `clear_i`, and
// the rest is zeros; `ended_o`: in_last_i has been seen. With `drain_i` all words up to in_last_i are thrown away.
module unpacker #(
  parameter int unsigned W = 18
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,       // before a job
  input  logic         wipe_i,        // forget all words; what is known of the stream's end stays
  input  logic         begin_i,
  input  logic [7:0]   count_i,
  input  logic         drain_i,
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  logic [31:0]  in_data_i,
  input  logic         in_last_i,
  output logic         word_valid_o,
  input  logic         word_pop_i,
  output logic [W-1:0] word_o,
  output logic         top_o,         // highest bit of the operand's last 32-bit word
  output logic         ended_o,
  output logic         short_o
);

  localparam int unsigned BufferWidth = W - 1 + 32;
  localparam int unsigned FillWidth = $clog2(BufferWidth + 1);
  logic [BufferWidth-1:0] buffer_q;
  logic [FillWidth-1:0] fill_q;
  logic [7:0] left_q;  // words of the operand still to come
  logic taken, exhausted, shift;

  assign exhausted = left_q == '0 || ended_o;
  assign shift = !word_valid_o && (32'(fill_q) >= W || exhausted);
  assign in_ready_o = !ended_o && (drain_i || (left_q != '0 && 32'(fill_q) < W));
  assign taken = in_valid_i && in_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      buffer_q     <= '0;
      word_o       <= '0;
      word_valid_o <= 1'b0;
      fill_q       <= '0;
      left_q       <= '0;
      top_o    <= 1'b0;
      ended_o  <= 1'b0;
      short_o  <= 1'b0;
    end else if (clear_i) begin
      buffer_q     <= '0;
      word_o       <= '0;
      word_valid_o <= 1'b0;
      fill_q       <= '0;
      left_q       <= '0;
      ended_o  <= 1'b0;
      short_o  <= 1'b0;
    end else begin
      if (begin_i || wipe_i) begin
        buffer_q     <= '0;
        word_o       <= '0;
        word_valid_o <= 1'b0;
        fill_q       <= '0;
        left_q   <= wipe_i ? '0 : count_i;
        short_o  <= short_o | (begin_i & ended_o);
      end else begin
        if (word_pop_i) word_valid_o <= 1'b0;
        if (shift) begin
          word_valid_o <= 1'b1;
          word_o       <= buffer_q[W-1:0];
          buffer_q     <= buffer_q >> W;
          fill_q       <= 32'(fill_q) >= W ? fill_q - FillWidth'(W) : '0;
        end
        if (taken && !drain_i) begin  // never with a shift: that needs W bits, this needs less
          buffer_q <= buffer_q | (BufferWidth'(in_data_i) << fill_q);
          fill_q   <= fill_q + FillWidth'(32);
          left_q   <= left_q - 8'd1;
          top_o    <= in_data_i[31];
          if (in_last_i && left_q != 8'd1) short_o <= 1'b1;
        end
      end
      if (taken && in_last_i) ended_o <= 1'b1;
    end
  end

endmodule
