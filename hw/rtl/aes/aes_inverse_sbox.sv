// SPDX-License-Identifier: Apache-2.0
// InvSubBytes of one byte, FIPS 197 5.3.2, without a register.
//
//   cycle     0
//   data_i    S(A)
//   data_o    A
//
// Parameters  Table: 1, a table of 256 bytes; 0, gates: with S = affine map after inversion, the inverse of S is
//             unaffine(S(unaffine(a))), for the inversion is its own inverse. So there is one circuit to trust.
module aes_inverse_sbox #(
  parameter bit Table = 1'b1
) (
  input  logic [7:0] data_i,
  output logic [7:0] data_o
);

  if (Table) begin : gen_table
    logic [7:0] low, high;
    aes_halves #(
      .Look(aes_pkg::LookInverse)
    ) u_halves (
      .data_i(data_i[6:0]),
      .low_o (low),
      .high_o(high)
    );
    assign data_o = data_i[7] ? high : low;
  end else begin : gen_gates
    logic [7:0] inner;
    aes_sbox #(
      .Table(1'b0)
    ) u_sbox (
      .data_i(aes_pkg::unaffine(data_i)),
      .data_o(inner)
    );
    assign data_o = aes_pkg::unaffine(inner);
  end

endmodule
