// SPDX-License-Identifier: Apache-2.0
// A table of bytes, looked up for both values of the address's top bit at once: who takes one of the two can add other
// things in the same gates. Behavioural twin.
//
//   cycle     0
//   data_i    A, seven bits
//   low_o     table[A];  high_o: table[128 + A]     without a register
//
// Parameters  Look: which table. Bits: those of the answers that are used; the others are zero.
module aes_halves #(
  parameter aes_pkg::look_e Look = aes_pkg::LookForward,
  parameter logic [7:0]     Bits = 8'hFF
) (
  input  logic [6:0] data_i,
  output logic [7:0] low_o,
  output logic [7:0] high_o
);

  localparam aes_pkg::table_t Values = Look == aes_pkg::LookForward ? aes_pkg::Forward :
                                       Look == aes_pkg::LookDoubled ? aes_pkg::Doubled : aes_pkg::Inverse;

  assign low_o  = Values[{1'b0, data_i}] & Bits;
  assign high_o = Values[{1'b1, data_i}] & Bits;

endmodule
