// SPDX-License-Identifier: Apache-2.0
// aes_sbox, aes_inverse_sbox: for every byte the gates give what the table gives, which is made of FIPS 197's
// definition, and each is the inverse of the other.
module aes_sbox_formal (
  input logic [7:0] data_i
);

  logic [7:0] by_table, by_gates, back_by_table, back_by_gates;

  aes_sbox #(.Table(1'b1)) u_table (.data_i, .data_o(by_table));
  aes_sbox #(.Table(1'b0)) u_gates (.data_i, .data_o(by_gates));
  aes_inverse_sbox #(.Table(1'b1)) u_back_table (.data_i(by_table), .data_o(back_by_table));
  aes_inverse_sbox #(.Table(1'b0)) u_back_gates (.data_i(by_gates), .data_o(back_by_gates));

  always_comb begin
    assert (by_table == aes_pkg::substituted(data_i));
    assert (by_gates == by_table);
    assert (back_by_table == data_i);
    assert (back_by_gates == data_i);
    cover (by_gates == 8'h00);
  end

endmodule
