// SPDX-License-Identifier: Apache-2.0
// The operand stream as words of W bits: 32-bit words in, W-bit words out, operand by operand, zeros behind each.
//
// Every step takes 16 bits of the stream and gives a word, for W is 16 and a little: words and stream drift apart by
// W - 16 bits a step, and when they are 16 bits apart a step gives none. The word is cut out of two neighbours of 16
// bits by two shifts, by 0, 4, 8 or 12 and by 0 to 3 places, each with its register.
//
//   cycle         0    1    2    3    4    5    6    7
//   begin_i       1                                       an operand of `count_i` 32-bit words begins
//   in_ready_o                   1    0    0    1         a word at most every third cycle
//   in_data_i                    A              B
//   word_valid_o                                     1    W bits are there, or the operand is exhausted: zeros
//   word_pop_i                                       1    all registers move when word_valid_o is low
//
// Contract    begin_i (a pulse, with count_i) comes when the words of the operand before have been popped: what is left
//             of them is thrown away. word_o holds until word_pop_i. The stream is taken for an operand alone, or with
//             `drain_i`: then all words up to in_last_i are thrown away. No register keeps a word that has been popped or
//             thrown away.
//             The stream ends with in_last_i. Does it end before the operand does, `short_o` says so until reset or
//             `clear_i`, and the rest is zeros; `ended_o`: in_last_i has been seen: no more is taken until `clear_i`.
//             Reset: no operand, and the stream has not ended.
module unpacker #(
  parameter int unsigned W = 18
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,       // before a job. This and the next four: a cycle late
  input  logic         wipe_i,        // forget the operand; what is known of the stream's end stays
  input  logic         begin_i,
  input  logic [7:0]   count_i,       // at least 1
  input  logic         drain_i,
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  logic [31:0]  in_data_i,
  input  logic         in_last_i,
  output logic         word_valid_o,
  input  logic         word_pop_i,    // if there is one
  output logic [W-1:0] word_o,
  output logic         top_o,         // highest bit of the operand's last 32-bit word, until the next begin_i
  output logic         ended_o,
  output logic         short_o
);

  if (W < 16 || W > 18) begin : gen_bad_width
    $fatal(1, "unpacker: W must be 16 to 18");
  end

  logic clear_q, begin_q, drain_q, restart_q;
  logic [7:0] count_q;
  always_ff @(posedge clk_i) count_q <= begin_i ? count_i : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {clear_q, begin_q, drain_q, restart_q} <= '0;
    else {clear_q, begin_q, drain_q, restart_q} <= {clear_i, begin_i, drain_i, clear_i || wipe_i || begin_i};
  end

  // ---- A word of the stream, and its halves
  logic [31:0] in_q;                    // 0 where there_q is low
  logic there_q, upper_q;               // in_q holds something; its lower half is gone
  logic [7:0] left_q;                   // words of the operand still to come
  logic left_none_q, left_one_q;        // that many, known long before the next word is taken
  logic zeros_q;                        // the operand is exhausted, or the stream
  logic taken, half_valid, step;
  logic [15:0] half;
  assign taken = in_valid_i && in_ready_o;
  assign half_valid = there_q || zeros_q;
  assign half = upper_q ? in_q[31:16] : in_q[15:0];
  assign step = half_valid && !word_valid_o;

  always_ff @(posedge clk_i) begin
    // SEC_CM: ERASE.WORKING_REGISTERS
    if (restart_q) in_q <= '0;
    else if (taken && !drain_q) in_q <= in_data_i;
    else if (step && upper_q) in_q <= '0;
    if (restart_q) top_o <= 1'b0;
    else if (taken && !drain_q) top_o <= in_data_i[31];
    left_one_q <= left_q == 8'd1;
    zeros_q    <= (left_none_q || ended_o) && !restart_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_ready_o  <= 1'b0;
      there_q     <= 1'b0;
      upper_q     <= 1'b0;
      left_q      <= '0;
      left_none_q <= 1'b1;
      ended_o     <= 1'b0;
      short_o     <= 1'b0;
    end else begin
      if (restart_q) begin
        in_ready_o  <= 1'b0;
        there_q     <= 1'b0;
        left_q      <= count_q;
        left_none_q <= !begin_q;
      end else begin
        in_ready_o  <= !ended_o && !(taken && in_last_i) && (drain_q || (!left_none_q && !there_q && !taken));
        left_none_q <= left_q == '0;
        if (taken && !drain_q) left_q <= left_q - 8'd1;
        if (taken && !drain_q) there_q <= 1'b1;
        else if (step && upper_q) there_q <= 1'b0;
      end
      if (taken) upper_q <= 1'b0;
      else if (step) upper_q <= 1'b1;
      if (clear_q) ended_o <= 1'b0;
      else if (taken && in_last_i) ended_o <= 1'b1;
      if (clear_q) short_o <= 1'b0;
      else if ((begin_q && ended_o) || (taken && in_last_i && !drain_q && !left_one_q)) short_o <= 1'b1;
    end
  end

  // ---- Cutting words out
  logic [4:0] offset_q;                 // of the next word in low_q; 16: in the half to come
  logic [15:0] low_q;
  logic [31:0] pair_q;                  // two halves and the offset of the word in them
  logic [3:0] pair_offset_q;
  logic [W+2:0] cut_q;                  // shifted, but for the offset's two lowest bits
  logic [1:0] cut_offset_q;
  logic pair_valid_q, cut_valid_q;

  always_ff @(posedge clk_i) begin
    if (!word_valid_o) begin
      word_o        <= W'(cut_q >> cut_offset_q);
      cut_q         <= (W+3)'({3'd0, pair_q} >> {pair_offset_q[3:2], 2'd0});
      cut_offset_q  <= pair_offset_q[1:0];
      pair_q        <= {half, low_q};
      pair_offset_q <= offset_q[3:0];
      if (half_valid) low_q <= half;
    end
    // SEC_CM: ERASE.WORKING_REGISTERS
    if (restart_q) begin  // nothing of the operand before
      cut_q  <= '0;
      pair_q <= '0;
      low_q  <= '0;
      word_o <= '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      offset_q     <= 5'd16;
      pair_valid_q <= 1'b0;
      cut_valid_q  <= 1'b0;
      word_valid_o <= 1'b0;
    end else if (restart_q) begin
      offset_q     <= 5'd16;
      pair_valid_q <= 1'b0;
      cut_valid_q  <= 1'b0;
      word_valid_o <= 1'b0;
    end else if (word_valid_o) begin
      word_valid_o <= !word_pop_i;
    end else begin
      word_valid_o <= cut_valid_q;
      cut_valid_q  <= pair_valid_q;
      pair_valid_q <= half_valid && !offset_q[4];
      if (half_valid) offset_q <= offset_q[4] ? '0 : offset_q + 5'(W - 16);
    end
  end

endmodule
