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
  input logic [2:0]            ahead_q,
  input logic                  wiping_q,
  input logic [CountWidth:0]   wipe_q,
  // of the words between the memory and the output
  input logic [2:0]            count_q,
  input logic [1:0]            put_q,
  input logic [1:0]            take_q,
  input logic                  room_q,
  input logic                  any_q
);

  always_comb begin
    if (rst_ni) begin
      assert (free_q <= CountWidth'(Depth) && free_q == CountWidth'(Depth) - (write_q - read_q));
      assert (full_q == (wiping_q || free_q == '0));
      assert (partial_q == write_q - commit_q && partial_q <= write_q - read_q);
      assert (ahead_q <= 3'd4 && count_q <= 3'd4);
      assert (!waiting_q || fetch_q[0] || read_q != commit_q);
      assert (!(&fetch_q));
      assert (any_q == (count_q != '0) && 2'(put_q - take_q) == count_q[1:0]);
      if (count_q != '0 || fetch_q != '0) assert (room_q == (count_q != 3'd4));
      if (wiping_q) begin  // zeros go through what is empty
        assert (write_q == read_q && ahead_q == '0 && fetch_q == '0);
        assert (wipe_q <= (CountWidth+1)'(Depth + 8) && count_q <= 3'(wipe_q >= (CountWidth+1)'(7)));
      end else begin
        assert (ahead_q == 3'(fetch_q[0]) + 3'(fetch_q[1]) + count_q);
      end
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
  .wiping_q,
  .wipe_q,
  .count_q(u_ahead.count_q),
  .put_q  (u_ahead.write_q),
  .take_q (u_ahead.read_q),
  .room_q (u_ahead.in_ready_o),
  .any_q  (u_ahead.out_valid_o)
);
