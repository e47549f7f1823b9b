// SPDX-License-Identifier: Apache-2.0
// The factor that scales a modulus for `mont`: mu = -n^-1 mod 2^W, from the lowest word of n, a bit a cycle.
//
// mu is the number with 1 + n * mu = 0 mod 2^W. Bit i of mu is bit 0 of (1 + n * (mu mod 2^i)) / 2^i, which is what
// `rest_q` holds; n odd.
//
//   cycle     0    1 ... W    W+1          bit_o: highest bit of mu from cycle W+1 on; each next_i shifts to the next
//   start_i   1
//   word_i    n0
//
// Contract    word_i is odd, and looked at with start_i. next_i comes from cycle W+1 on; after W of them bit_o is 0. A
//             start_i at any time begins anew, and its cycles are always the same. Reset: mu is 0.
module orup_scale #(
  parameter int unsigned W = 18
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         start_i,
  input  logic [W-1:0] word_i,
  input  logic         next_i,
  output logic         bit_o
);

  localparam int unsigned CountWidth = $clog2(W + 1);
  logic [W-1:0] n_q, mu_q, rest_q;
  /* verilator lint_off UNUSEDSIGNAL */ // bit 0 is zero
  logic [W:0] sum;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [CountWidth-1:0] left_q;
  logic running_q;  // left_q is not zero

  assign sum = {1'b0, rest_q} + (rest_q[0] ? {1'b0, n_q} : '0);
  assign bit_o = mu_q[W-1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      n_q       <= '0;
      mu_q      <= '0;
      rest_q    <= '0;
      left_q    <= '0;
      running_q <= 1'b0;
    end else if (start_i) begin
      n_q       <= word_i;
      rest_q    <= W'(1);
      left_q    <= CountWidth'(W);
      running_q <= 1'b1;
    end else if (running_q) begin
      mu_q      <= {rest_q[0], mu_q[W-1:1]};
      rest_q    <= sum[W:1];
      left_q    <= left_q - 1'b1;
      running_q <= left_q != CountWidth'(1);
    end else if (next_i) begin
      mu_q <= {mu_q[W-2:0], 1'b0};
    end
  end

endmodule
