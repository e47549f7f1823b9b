// The result as a stream of 32-bit words: W-bit words in, low word first, `count_i` 32-bit words out, the last one
// marked. What comes in beyond them is thrown away. `Depth` words wait in a queue, so that the sender may send
// ahead: it counts how many have left.
//
//   cycle          0    1    2    3    4
//   begin_i        1
//   word_valid_i        A    B    C         never stalls
//   out_valid_o                   1    1    as soon as 32 bits are there
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

  localparam int unsigned BufferWidth = 31 + W;
  localparam int unsigned FillWidth = $clog2(BufferWidth + 1);
  logic [BufferWidth-1:0] buffer_q;
  logic [FillWidth-1:0] fill_q;
  logic [7:0] left_q;
  logic head_valid, sent, merge, unused_ready, head_valid_q;
  logic [W-1:0] head, head_q;

  fifo #(.Width(W), .Depth(Depth)) u_queue (
    .clk_i, .rst_ni, .in_valid_i(word_valid_i), .in_ready_o(unused_ready), .in_data_i(word_i),
    .out_valid_o(head_valid), .out_ready_i(word_taken_o), .out_data_o(head)
  );

  assign out_valid_o = busy_o && 32'(fill_q) >= 32;
  assign out_data_o = buffer_q[31:0];
  assign out_last_o = left_q == 8'd1;
  assign sent = out_valid_o && out_ready_i;
  assign merge = head_valid_q && (32'(fill_q) < 32 || !busy_o);
  assign word_taken_o = head_valid && (merge || !head_valid_q);

  always_ff @(posedge clk_i) begin
    if (word_taken_o) head_q <= head;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_q <= 1'b0;
      buffer_q     <= '0;
      fill_q       <= '0;
      left_q       <= '0;
      busy_o       <= 1'b0;
    end else if (begin_i) begin
      head_valid_q <= 1'b0;
      buffer_q     <= '0;
      fill_q       <= '0;
      left_q       <= count_i;
      busy_o       <= 1'b1;
    end else begin
      if (word_taken_o) head_valid_q <= 1'b1;
      else if (merge) head_valid_q <= 1'b0;
      left_q <= left_q - 8'(sent);
      if (sent && out_last_o) busy_o <= 1'b0;
      if (sent) begin  // never with a word taken: 32 bits are there
        buffer_q <= buffer_q >> 32;
        fill_q   <= fill_q - FillWidth'(32);
      end else if (merge && busy_o) begin
        buffer_q <= buffer_q | (BufferWidth'(head_q) << fill_q);
        fill_q   <= fill_q + FillWidth'(W);
      end
      if (!busy_o) buffer_q <= '0;
    end
  end

endmodule
