// SPDX-License-Identifier: Apache-2.0
// First in, first out; `Depth` a power of two. Small and shallow: distributed memory, the head is there at once.
//
//   cycle        0    1    2
//   in_valid_i   1    0    0      in_ready_o high: taken
//   out_valid_o  0    1    1      ... until out_ready_i
//
// Contract    Every word that was taken leaves once, in order; a word may come and one may leave in every cycle.
//             in_ready_o is low while Depth words are inside. Ready and valid are flip-flops and stay high until a word
//             has moved; out_data_o holds so long. Reset: empty; in_ready_o rises a cycle later. Words are not reset:
//             one that has left stays in the memory until its place is written again.
module fifo #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 4
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_data_i,
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o
);

  localparam int unsigned PointerWidth = $clog2(Depth);
  if (Depth < 2 || Depth != 1 << PointerWidth) begin : gen_bad_depth
    $fatal(1, "fifo: Depth must be a power of two, at least 2");
  end

  logic [Width-1:0] words_q[Depth];
  logic [PointerWidth-1:0] write_q, read_q;
  logic [PointerWidth:0] count_q;
  logic put, take;
  assign put = in_valid_i && in_ready_o;
  assign take = out_valid_o && out_ready_i;
  assign out_data_o = words_q[read_q];

  always_ff @(posedge clk_i) begin
    if (put) words_q[write_q] <= in_data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q     <= '0;
      read_q      <= '0;
      count_q     <= '0;
      in_ready_o  <= 1'b0;
      out_valid_o <= 1'b0;
    end else begin
      if (put) write_q <= write_q + PointerWidth'(1);
      if (take) read_q <= read_q + PointerWidth'(1);
      if (put && !take) count_q <= count_q + (PointerWidth+1)'(1);
      if (take && !put) count_q <= count_q - (PointerWidth+1)'(1);
      // What the new count will say, without waiting for it
      in_ready_o  <= take || (put ? count_q != (PointerWidth+1)'(Depth - 1) : !count_q[PointerWidth]);
      out_valid_o <= put || (take ? count_q[PointerWidth:1] != '0 : out_valid_o);
    end
  end

endmodule
