// SPDX-License-Identifier: Apache-2.0
// Makes of a reset from anywhere one for a clock domain: asserted at once, released with the clock. For who integrates
// `garner_top` and has no such reset; nothing in it uses this.
//
//   cycle      0    1    2    3
//   rst_ni     0    1    1    1      released at any time between two edges: cycle 0 and 1
//   chain_q    00   01   11   11
//   rst_no     0    0    1    1      Stages edges later; where the first edge comes too near the release, one more
//
// Contract    `rst_ni` is free of glitches: it is from a pin, a power-on cell or flip-flops, not from logic. It is low for
//             longer than a flip-flop's reset pulse has to be.
// Constraints The path to the flip-flops' asynchronous inputs is a false path; their recovery and removal are those of the
//             chain, whose flip-flops lie side by side. hw/dist/constraints has this for Vivado, SDC tools and Lattice.
// Parameters  Stages: flip-flops, at least 2; more where the mean time between failures asks for it.
module reset_synchroniser #(
  parameter int unsigned Stages = 2
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic rst_no
);

  if (Stages < 2) begin : gen_bad_stages
    $fatal(1, "reset_synchroniser: Stages must be at least 2");
  end

  (* ASYNC_REG = "TRUE", SHREG_EXTRACT = "NO" *)
  /* verilator lint_off SYNCASYNCNET */ // the last one resets others, and no other is read outside
  logic [Stages-1:0] chain_q;
  /* verilator lint_on SYNCASYNCNET */
  assign rst_no = chain_q[Stages-1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) chain_q <= '0;
    else chain_q <= {chain_q[Stages-2:0], 1'b1};
  end

endmodule
