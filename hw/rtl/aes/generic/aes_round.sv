// SPDX-License-Identifier: Apache-2.0
// One round of the cipher, FIPS 197 5.1, without a register, both as an inner and as the last one, and with the way past
// it by which a block enters. Behavioural twin.
//
//   cycle      0
//   state_i    state after round r - 1
//   round_i    1
//   add_i      key of round r;  key_i, too
//   state_o    state after round r < Rounds: SubBytes, ShiftRows, MixColumns, AddRoundKey
//   last_o     state after round Rounds: the same without MixColumns
//
// Contract    While round_i is low, state_o is add_i. The path from state_i to state_o is the one that bounds the clock of
//             encryption, for each round needs the one before it: a mode, a key or a block is added on it and nothing chosen.
// Parameters  Table: see aes_sbox.
module aes_round #(
  parameter bit Table = 1'b1
) (
  input  aes_pkg::block_t state_i,
  input  logic            round_i,
  input  aes_pkg::block_t add_i,
  input  aes_pkg::block_t key_i,
  output aes_pkg::block_t state_o,
  output aes_pkg::block_t last_o
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
  assign state_o = (round_i ? aes_pkg::mix_columns(shifted) : '0) ^ add_i;
  assign last_o  = shifted ^ key_i;

endmodule
