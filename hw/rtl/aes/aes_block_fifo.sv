// SPDX-License-Identifier: Apache-2.0
// First in, first out, of blocks: a memory that can be overwritten, which prim's fifo cannot. Used by aes_message
// and aes_beats.
//
//   cycle        0    1    2    3
//   in_valid_i   1    0    0    0      there is room: who writes counts
//   here_q       0    1    0    0      in the memory
//   out_valid_o  0    0    1    1      in flip-flops ... until out_ready_i
//
// Contract    Never more than 2^Log2 words inside. wipe_i: empty at once, and word after word is overwritten with zeros, all
//             of them after as many cycles of it; what is written meanwhile is dropped.
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
  logic [Log2-1:0]  write_q, read_q, next_q;  // next: to be read behind read_q
  logic             moves;                    // the word in flip-flops makes way
  logic             here_q, last, leaves;     // a word is in the memory; the last of them; one leaves it

  assign last   = write_q == next_q;
  assign moves  = out_ready_i || !out_valid_o;
  assign leaves = here_q && moves;

  always_ff @(posedge clk_i) begin
    if (wipe_i || in_valid_i) words_q[write_q] <= wipe_i ? '0 : in_data_i;  // SEC_CM: ERASE.WORKING_MEMORY
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q     <= '0;
      read_q      <= '0;
      next_q      <= Log2'(1);
      here_q      <= 1'b0;
      out_valid_o <= 1'b0;
    end else if (wipe_i) begin
      write_q     <= write_q + Log2'(1);
      read_q      <= write_q + Log2'(1);
      next_q      <= write_q + Log2'(2);
      here_q      <= 1'b0;
      out_valid_o <= 1'b0;
    end else begin
      if (in_valid_i) write_q <= write_q + Log2'(1);
      if (leaves) read_q <= next_q;
      if (leaves) next_q <= next_q + Log2'(1);
      here_q      <= in_valid_i || (here_q && !(leaves && last));
      out_valid_o <= here_q || !moves;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_data_o <= '0;
    else if (moves) out_data_o <= wipe_i ? '0 : words_q[read_q];  // SEC_CM: ERASE.WORKING_REGISTERS
  end

endmodule
