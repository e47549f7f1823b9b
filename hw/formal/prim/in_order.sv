// SPDX-License-Identifier: Apache-2.0
// What the proofs of queues say: words leave in the order in which they came, none lost, doubled or changed; an offered
// word stays; never more than `Places` are inside, and if `Eager` there is room whenever fewer are, and a word on offer
// whenever any is.
module in_order #(
  parameter int unsigned Width  = 1,
  parameter int unsigned Places = 1,   // 1 to 7
  parameter bit          Eager  = 1'b1,
  parameter bit          Reach  = 1'b1  // cover that all places are taken; 0 where the harness has covers of its own
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             in_valid_i,
  input logic             in_ready_i,
  input logic [Width-1:0] in_data_i,
  input logic             out_valid_i,
  input logic             out_ready_i,
  input logic [Width-1:0] out_data_i,
  input logic [3:0]       watched_i     // which word is followed through: any
);

  logic             begun_q;            // out of reset for a cycle: it has said that there is room
  logic [3:0]       written_q, read_q, watched_q, held;
  logic [Width-1:0] followed_q, out_data_q;
  logic             waits_q;            // a word was offered and not taken
  logic             full_q;             // all places were taken once

  assign held = written_q - read_q;

  always_ff @(posedge clk_i) begin
    watched_q  <= rst_ni ? watched_q : watched_i;
    begun_q    <= rst_ni;
    waits_q    <= rst_ni && out_valid_i && !out_ready_i;
    out_data_q <= out_data_i;
    if (!rst_ni) begin
      written_q <= '0;
      read_q    <= '0;
      full_q    <= 1'b0;
    end else begin
      written_q <= written_q + 4'(in_valid_i && in_ready_i);
      read_q    <= read_q + 4'(out_valid_i && out_ready_i);
      full_q    <= full_q || held == 4'(Places);
      if (in_valid_i && in_ready_i && written_q == watched_q) followed_q <= in_data_i;
    end
  end

  always_comb begin
    if (rst_ni) begin
      assert (held <= 4'(Places));
      if (in_ready_i) assert (held != 4'(Places));
      if (out_valid_i) assert (held != '0);
      if (Eager && begun_q) assert (in_ready_i || held == 4'(Places));
      if (Eager) assert (out_valid_i || held == '0);
      if (waits_q) assert (out_valid_i && out_data_i == out_data_q);
      if (out_valid_i && read_q == watched_q) assert (out_data_i == followed_q);
      // that it happens: all places were taken, and a word that came behind that has left
      cover (!Reach || full_q && held == '0 && read_q > 4'(Places));
    end
  end

endmodule
