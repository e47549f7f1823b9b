// SPDX-License-Identifier: Apache-2.0
// The key schedule of a key of 128 bits, from one round key to the next (FIPS 197 5.2), without a register.
//
//   cycle        0
//   key_i        key of round r - 1
//   sums_i       aes_pkg::key_sums of it
//   constant_i   x^(r-1), in the first byte of Rcon[r]
//   key_o        key of round r
//   sums_o       aes_pkg::key_sums of it
//
// Word i of a key is the sum of words 0 to i of the key before it and of g, which the S-boxes give. From sums that are
// kept beside the key, each word and each of its sums is one sum behind the S-boxes:
//
//   words   k0 + g   k0 + k1 + g        k0 + k1 + k2 + g      k0 + k1 + k2 + k3 + g
//   sums             k1 (g twice)       k0 + k2 + g           k1 + k3
module aes_key_step #(
  parameter bit Table = 1'b1
) (
  input  aes_pkg::block_t    key_i,
  input  aes_pkg::key_sums_t sums_i,
  input  logic [7:0]         constant_i,
  output aes_pkg::block_t    key_o,
  output aes_pkg::key_sums_t sums_o
);

  logic [3:0][7:0] substituted;
  for (genvar i = 0; i < 4; i++) begin : gen_byte
    aes_sbox #(
      .Table(Table)
    ) u_sbox (
      .data_i(key_i[12+(i+1)%4]),  // RotWord
      .data_o(substituted[i])
    );
  end

  // The constant is added beside the S-boxes
  logic [3:0][31:0] words;
  logic [31:0]      constant;
  assign words    = key_i;
  assign constant = {24'd0, constant_i};

  assign key_o  = ({sums_i, words[0]} ^ {4{constant}}) ^ {4{substituted}};
  assign sums_o = {words[1] ^ words[3], (words[0] ^ words[2] ^ constant) ^ substituted, words[1]};

endmodule
