// SPDX-License-Identifier: Apache-2.0
// First in, first out, of bytes and deep: a block RAM, whose word takes a cycle to read. See fifo for a shallow one.
//
//   cycle     0    1    2    3    4
//   put_i     1    1    0    0    0       lost_o in the same cycle, if it is full: the byte is gone
//   valid_o   0    0    1    0    1       until take_i; the next byte two cycles later
//   take_i    0    0    1    0    1
//
// Contract    Every byte that was put and not lost leaves once, in order. take_i only with valid_o. Reset: empty.
module byte_queue #(
  parameter int unsigned Depth = 2048  // a power of two
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       put_i,
  input  logic [7:0] data_i,
  output logic       lost_o,
  output logic       valid_o,
  output logic [7:0] data_o,
  input  logic       take_i
);

  localparam int unsigned Width = $clog2(Depth);
  if (Depth < 2 || Depth != 1 << Width) begin : gen_bad_depth
    $fatal(1, "byte_queue: Depth must be a power of two, at least 2");
  end

  logic [7:0] bytes[Depth];
  logic [Width:0] write_q, read_q;  // the top bit tells full from empty
  logic full, put;
  assign full = write_q == (read_q ^ (Width+1)'(Depth));
  assign put = put_i && !full;
  assign lost_o = put_i && full;

  always_ff @(posedge clk_i) begin
    if (put) bytes[write_q[Width-1:0]] <= data_i;
    data_o <= bytes[read_q[Width-1:0]];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      valid_o <= 1'b0;
    end else begin
      write_q <= write_q + (Width+1)'(put);
      read_q  <= read_q + (Width+1)'(take_i);
      valid_o <= read_q != write_q && !take_i;
    end
  end

endmodule
