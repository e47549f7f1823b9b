// fifo: nothing is lost, doubled, changed or reordered, and it never holds more than Depth words.
module fifo_formal (
  input logic       clk_i,
  input logic       in_valid_i,
  input logic [0:0] in_data_i,
  input logic       out_ready_i,
  input logic [3:0] watched_i    // which word is watched: any
);

  localparam int unsigned Depth = 4;

  logic       rst_ni;
  logic       in_ready, out_valid;
  logic [0:0] out_data;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  fifo #(
    .Width(1),
    .Depth(Depth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_data_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_data_o (out_data)
  );

  logic [3:0] written_q, read_q, watched_q;
  logic [0:0] data_q, previous_q;
  logic       waiting_q;            // a word was offered and not taken

  always_ff @(posedge clk_i) begin
    watched_q <= rst_ni ? watched_q : watched_i;
    if (!rst_ni) begin
      written_q <= '0;
      read_q    <= '0;
      waiting_q <= 1'b0;
    end else begin
      written_q  <= written_q + 4'(in_valid_i && in_ready);
      read_q     <= read_q + 4'(out_valid && out_ready_i);
      waiting_q  <= out_valid && !out_ready_i;
      previous_q <= out_data;
      if (in_valid_i && in_ready && written_q == watched_q) data_q <= in_data_i;
    end
  end

  always_comb begin
    if (rst_ni) begin
      assert (4'(written_q - read_q) <= 4'(Depth));
      if (in_ready) assert (4'(written_q - read_q) != 4'(Depth));
      assert (out_valid == (written_q != read_q));
      if (waiting_q) assert (out_valid && out_data == previous_q);
      if (out_valid && read_q == watched_q) assert (out_data == data_q);
    end
  end

endmodule
