// SPDX-License-Identifier: Apache-2.0
// One round of the cipher, FIPS 197 5.1, without a register: SubBytes, ShiftRows, MixColumns but in the last,
// AddRoundKey.
//
//   cycle      0
//   state_i    state after round r - 1
//   key_i      key of round r;  last_i: r is Rounds
//   state_o    state after round r
module aes_round #(
  parameter bit Table = 1'b1
) (
  input  aes_pkg::block_t state_i,
  input  aes_pkg::block_t key_i,
  input  logic            last_i,
  output aes_pkg::block_t state_o
);

  aes_pkg::block_t substituted, shifted;
  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aes_sbox #(
      .Table(Table)
    ) u_sbox (
      .data_i(state_i[i]),
      .data_o(substituted[i])
    );
  end
  assign shifted = aes_pkg::shift_rows(substituted);
  assign state_o = (last_i ? shifted : aes_pkg::mix_columns(shifted)) ^ key_i;

endmodule
