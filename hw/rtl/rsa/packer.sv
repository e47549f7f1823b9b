// SPDX-License-Identifier: Apache-2.0
// The result as a stream of 32-bit words: W-bit words in, low word first, `count_i` 32-bit words out, the last one
// marked. `Depth` words wait in a queue, so that the sender may send ahead.
//
// The twin of `unpacker`: every step takes a word and gives 16 bits of the stream. The word is shifted to its place by
// two shifts, by 0 to 3 and by 0, 4, 8 or 12 places, each with its register; what stands out above 16 bits waits for
// the next word. When that makes 16 bits by itself, a step takes no word.
//
// With W = 18, and the words of the stream taken at once:
//
//   cycle          0    1    2    3    4    5    6    7    8    9   10   11
//   begin_i        1
//   word_valid_i        A    B    C    D    E    F                            never stalls
//   word_taken_o             A    B    C    D         E              F       a step: every other cycle once halves come
//   word_q                        A    B    C    D    D    E
//   near_q                             A    B    C    C    D                  shifted by 0 to 3
//   placed_q                                A    B    B    C                  by 0, 4, 8 or 12
//   half_q                                       0         1                  16 bits are there
//   out_valid_o                                                      1    0   32 bits; the next five cycles later
//
// Contract    begin_i (a pulse) comes while busy_o is low and no word is in the queue, before the first word; count_i
//             is looked at with it, and at least 1. There is no word_ready_o: the sender counts word_taken_o, and has
//             at most Depth words in the queue. Words beyond those that count_i needs are thrown away. out_data_o and
//             out_last_o hold until out_ready_i. busy_o falls when the last word is taken; then the registers of the
//             result are overwritten. Reset: idle.
module packer #(
  parameter int unsigned W     = 18,
  parameter int unsigned Depth = 16  // of the queue
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         begin_i,
  input  logic [7:0]   count_i,
  input  logic         word_valid_i,
  input  logic [W-1:0] word_i,
  output logic         word_taken_o,  // a word has left the queue: room for one more of Depth
  output logic         busy_o,        // words are still to go out
  output logic         out_valid_o,
  input  logic         out_ready_i,
  output logic [31:0]  out_data_o,
  output logic         out_last_o
);

  if (W < 16 || W > 18) begin : gen_bad_width
    $fatal(1, "packer: W must be 16 to 18");
  end

  logic head_valid, unused_ready;
  logic [W-1:0] head;
  fifo #(.Width(W), .Depth(Depth)) u_queue (
    .clk_i, .rst_ni, .in_valid_i(word_valid_i), .in_ready_o(unused_ready), .in_data_i(word_i),
    .out_valid_o(head_valid), .out_ready_i(word_taken_o), .out_data_o(head)
  );

  // ---- Words to halves of the stream's words; all registers move at most every other cycle, and not if `there_q`
  logic there_q, upper_q, clear_q;      // data_q is complete; its lower half is there
  logic [4:0] offset_q, ahead_q;        // of the next word above what waits (16: that goes first), of the one after it
  logic [W-1:0] word_q;
  logic [3:0] word_offset_q;
  logic [W+2:0] near_q;                 // shifted by the offset's two lowest bits
  logic [1:0] near_offset_q;
  logic [31:0] placed_q;
  logic [15:0] wait_q, half_q;
  logic move, half_valid_q, word_valid_q, near_valid_q, placed_valid_q;
  logic [31:0][4:0] after;              // as a table: an adder's carry chain would take longer
  for (genvar i = 0; i < 32; i++) begin : gen_after
    assign after[i] = i < 16 ? 5'(i + W - 16) : '0;
  end
  assign move = !there_q && !half_valid_q;
  assign word_taken_o = head_valid && move && !offset_q[4];

  // ---- Halves to words, and these to the port
  logic [7:0] left_q;                   // words still to go to the port
  logic [31:0] data_q;

  always_ff @(posedge clk_i) begin
    if (move) begin
      word_q        <= word_taken_o ? head : '0;
      word_offset_q <= offset_q[3:0];
      near_q        <= (W+3)'(word_q) << word_offset_q[1:0];
      near_offset_q <= word_offset_q[3:2];
      placed_q      <= 32'(near_q) << {near_offset_q, 2'd0};
      if (placed_valid_q) wait_q <= placed_q[31:16];
      half_q <= placed_q[15:0] | wait_q;
    end
    if (half_valid_q) data_q <= {half_q, data_q[31:16]};
    clear_q <= !busy_o;
    // SEC_CM: ERASE.WORKING_REGISTERS
    if (clear_q) begin  // no trace of the result
      wait_q <= '0;
      data_q <= '0;
    end
    if (!out_valid_o) out_data_o <= data_q;
    if (!out_valid_o) out_last_o <= left_q == 8'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      offset_q       <= '0;
      ahead_q        <= '0;
      word_valid_q   <= 1'b0;
      near_valid_q   <= 1'b0;
      placed_valid_q <= 1'b0;
      half_valid_q   <= 1'b0;
      upper_q        <= 1'b0;
      there_q        <= 1'b0;
      out_valid_o    <= 1'b0;
      left_q         <= '0;
      busy_o         <= 1'b0;
    end else if (begin_i) begin
      offset_q       <= '0;
      ahead_q        <= 5'(W - 16);
      word_valid_q   <= 1'b0;
      near_valid_q   <= 1'b0;
      placed_valid_q <= 1'b0;
      half_valid_q   <= 1'b0;
      upper_q        <= 1'b0;
      there_q        <= 1'b0;
      left_q         <= count_i;
      busy_o         <= 1'b1;
    end else begin
      half_valid_q <= move && placed_valid_q;
      if (move) begin
        word_valid_q   <= head_valid || offset_q[4];
        near_valid_q   <= word_valid_q;
        placed_valid_q <= near_valid_q;
        if (head_valid || offset_q[4]) begin
          offset_q <= ahead_q;
          ahead_q  <= after[ahead_q];
        end
      end
      if (half_valid_q) upper_q <= !upper_q;
      if (half_valid_q) there_q <= upper_q;
      else if (!out_valid_o) there_q <= 1'b0;
      if (there_q && !out_valid_o) left_q <= left_q - 8'd1;
      if (!busy_o) there_q <= 1'b0;    // what comes in is thrown away
      if (!out_valid_o) out_valid_o <= there_q && busy_o;
      else if (out_ready_i) out_valid_o <= 1'b0;
      if (out_valid_o && out_ready_i && out_last_o) busy_o <= 1'b0;
    end
  end

endmodule
