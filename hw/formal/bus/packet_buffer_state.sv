// SPDX-License-Identifier: Apache-2.0
// What packet_buffer keeps beside its pointers: true in every cycle, and what makes the proofs that look from outside
// inductive. Bound into every packet_buffer of a proof.
module packet_buffer_state #(
  parameter int unsigned Depth = 4,
  localparam int unsigned CountWidth = $clog2(Depth) + 1
) (
  input logic                  rst_ni,
  input logic [CountWidth-1:0] write_q,
  input logic [CountWidth-1:0] commit_q,
  input logic [CountWidth-1:0] read_q,
  input logic [CountWidth-1:0] free_q,
  input logic [CountWidth-1:0] partial_q,
  input logic                  full_q,
  input logic                  waiting_q,
  input logic [1:0]            fetch_q,
  input logic [1:0]            ahead_q,
  input logic [CountWidth-2:0] left_q,
  input logic                  undo_q,
  input logic                  wiping_q,
  input logic [CountWidth-1:0] wipe_q,
  // of the words between the memory and the output
  input logic                  room_q,
  input logic                  any_q
);

  logic [1:0] count;
  assign count = 2'(any_q) + 2'(!room_q);

  always_comb begin
    if (rst_ni) begin
      assert (free_q <= CountWidth'(Depth) && free_q == CountWidth'(Depth) - (write_q - read_q));
      assert (full_q == (free_q == '0));
      assert (partial_q == write_q - commit_q && partial_q <= write_q - read_q);
      assert (any_q || room_q);
      assert (ahead_q <= 2'd2 && ahead_q == 2'(fetch_q[0]) + 2'(fetch_q[1]) + count);
      assert (!waiting_q || fetch_q[0] || read_q != commit_q);
      assert (!(&fetch_q));
      if (fetch_q[0]) assert (left_q == (CountWidth-1)'(read_q - 1'b1));
      if (undo_q && !wiping_q) assert (wipe_q < CountWidth'(Depth) && write_q == commit_q && wipe_q < free_q);
      if (wiping_q) assert (write_q == read_q && ahead_q == '0 && fetch_q == '0 && wipe_q <= CountWidth'(Depth + 3));
    end
  end

endmodule

bind packet_buffer packet_buffer_state #(
  .Depth(Depth)
) u_state (
  .rst_ni,
  .write_q,
  .commit_q,
  .read_q,
  .free_q,
  .partial_q,
  .full_q,
  .waiting_q,
  .fetch_q,
  .ahead_q,
  .left_q,
  .undo_q,
  .wiping_q,
  .wipe_q,
  .room_q(u_ahead.in_ready_o),
  .any_q (u_ahead.out_valid_o)
);
