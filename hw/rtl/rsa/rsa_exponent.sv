// SPDX-License-Identifier: Apache-2.0
// What the exponentiator of `rsa_core` is told of an exponent: its scheme, its length and the window.
//
//   cycle            0    1    2    3
//   instruction_i    I                   static from here on, as are job and stride
//   scheme_o, bits_o      1 cycle later
//   window_o                        3 cycles later
//
// Contract    A secret exponent of the key (dual: dp, dq) has the fixed window, whatever the scheme of the job; e is
//             public, and goes left to right; the exponent of OpExponentiate has the scheme of its job. The table has
//             8 + 2^window_o regions, which fit in what a context has. No reset: outputs follow the inputs.
module rsa_exponent
  import garner_pkg::*;
  import rsa_pkg::*;
#(
  parameter int unsigned OperandWords = 8192  // of mont
) (
  input  logic         clk_i,
  /* verilator lint_off UNUSEDSIGNAL */ // most of both is for others
  input  instruction_t instruction_i,
  input  job_t         job_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  stride_t      stride_i,
  output scheme_e      scheme_o,
  output logic [12:0]  bits_o,
  output logic [2:0]   window_o
);

  localparam int unsigned OperandWidth = $clog2(OperandWords);

  logic check_power;  // of s^e = m
  assign check_power = !instruction_i.dual && field_e'(instruction_i.y.index) == FieldE;
  always_ff @(posedge clk_i) begin
    // SEC_CM: TIME.EXPONENT
    scheme_o <= instruction_i.dual ? SchemeFixedWindow : check_power ? SchemeLeftToRight : job_i.scheme;
    bits_o   <= instruction_i.dual ? {1'b0, job_i.bits[12:1]} : check_power ? 13'd32 : job_i.exponent_bits;
  end

  // Short exponents do not need the largest table
  logic long_q;
  logic [3:0] room, room_q;  // log2 of the regions a context has
  always_comb begin
    room = '0;
    for (int unsigned i = 0; i < Strides; i++) if (stride_i[i]) room |= 4'(OperandWidth - MinStride - i);
  end
  always_ff @(posedge clk_i) begin
    room_q   <= room - 4'(instruction_i.dual);
    long_q   <= bits_o >= 13'd320;
    window_o <= room_q >= 4'd6 && long_q ? 3'd5 : room_q >= 4'd5 ? 3'd4 : 3'd3;
  end

endmodule
