// SPDX-License-Identifier: Apache-2.0
// First in, first out, of blocks: a memory that can be overwritten, which prim's fifo cannot. Used by aes_message
// and aes_beats.
//
//   cycle        0    1    2    3    4
//   in_valid_i   1    0    0    0    0    there is room: who writes counts
//   here_q       0    1    0    0    0    in the memory
//   fetched_q    0    0    1    0    0    in word_q, as a block memory reads
//   out_valid_o  0    0    0    1    1    in flip-flops ... until out_ready_i
//
// Contract    Never more than 2^Log2 words inside. wipe_i, for as many cycles at least: empty at once, and word after word is
//             overwritten with zeros; what is written meanwhile is dropped.
module aes_block_fifo #(
  parameter int unsigned Width = 128,
  parameter int unsigned Log2  = 5
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             wipe_i,
  input  logic             in_valid_i,
  input  logic [Width-1:0] in_data_i,
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o
);

  logic [Width-1:0] words_q[1 << Log2];
  logic [Width-1:0] word_q;
  logic [Log2-1:0]  write_q, read_q, next_q;  // next: to be read behind read_q
  logic             moves, fetches;           // the word in flip-flops makes way, that in word_q does
  logic             here_q, fetched_q;        // a word is in the memory; in word_q
  logic             wiped_q, last, leaves;    // the last word in the memory; one leaves it

  assign last    = write_q == next_q;
  assign moves   = out_ready_i || !out_valid_o;
  assign fetches = moves || !fetched_q;
  assign leaves  = here_q && fetches;

  always_ff @(posedge clk_i) begin
    if (wipe_i || in_valid_i) words_q[write_q] <= wipe_i ? '0 : in_data_i;  // SEC_CM: ERASE.WORKING_MEMORY
    if (fetches) word_q <= words_q[read_q];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wiped_q     <= 1'b0;
      write_q     <= '0;
      read_q      <= '0;
      next_q      <= Log2'(1);
      here_q      <= 1'b0;
      fetched_q   <= 1'b0;
      out_valid_o <= 1'b0;
    end else begin
      wiped_q <= wipe_i;
      if (wipe_i || in_valid_i) write_q <= write_q + Log2'(1);
      // What is read while words are overwritten is the one that was overwritten last
      if (wipe_i || wiped_q) read_q <= write_q;
      else if (leaves) read_q <= next_q;
      if (wipe_i || wiped_q) next_q <= write_q + Log2'(1);
      else if (leaves) next_q <= next_q + Log2'(1);
      here_q      <= !wipe_i && (in_valid_i || (here_q && !(leaves && last)));
      fetched_q   <= !wipe_i && (leaves || (fetched_q && !moves));
      out_valid_o <= !wipe_i && (fetched_q || !moves);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_data_o <= '0;
    else if (moves) out_data_o <= wipe_i ? '0 : word_q;  // SEC_CM: ERASE.WORKING_REGISTERS
  end

endmodule
