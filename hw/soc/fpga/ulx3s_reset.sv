// SPDX-License-Identifier: Apache-2.0
// The reset of soc_ulx3s from two sources that know nothing of the clock and of each other: the PLL's lock and a button.
//
//   cycle       0    1    2    3    4    5    6    7    8    9
//   locked_i    0    1    1    1    1    1    1    1    1    1      at any time
//   button_i    0    0    0    0    0    1    1    0    0    0      at any time
//   clocked_n   0    0    1    1    1    1    1    1    1    1
//   rst_no      0    0    0    0    1    1    0    0    1    1      low at once when the lock is lost
//
// Contract    `rst_no` is a flip-flop and released with the clock. No logic is in front of the flip-flops that a source
//             resets: of two sources it could have glitches. So the button is sampled; its clock is there, or the reset is.
module ulx3s_reset (
  input  logic clk_i,
  input  logic locked_i,
  input  logic button_i,
  output logic rst_no
);

  logic clocked_n;
  reset_synchroniser u_locked (
    .clk_i,
    .rst_ni(locked_i),
    .rst_no(clocked_n)
  );

  (* ASYNC_REG = "TRUE", SHREG_EXTRACT = "NO" *)
  /* verilator lint_off SYNCASYNCNET */ // as in reset_synchroniser
  logic [1:0] released_q;
  /* verilator lint_on SYNCASYNCNET */
  assign rst_no = released_q[1];

  always_ff @(posedge clk_i or negedge clocked_n) begin
    if (!clocked_n) released_q <= '0;
    else released_q <= {released_q[0], !button_i};
  end

endmodule
