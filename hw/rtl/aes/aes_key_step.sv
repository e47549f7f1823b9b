// SPDX-License-Identifier: Apache-2.0
// The key schedule of a key of 128 bits, from one round key to the next (FIPS 197 5.2), without a register.
//
//   cycle        0
//   key_i        key of round r - 1
//   base_i       aes_pkg::key_base of it, with x^(r-1), in the first byte of Rcon[r]
//   constant_i   x^r
//   key_o        key of round r
//   base_o       aes_pkg::key_base of it, with constant_i
//
// Word i of a key is the sum of words 0 to i of the key before it, of Rcon and of g, which the S-boxes give. All of that but
// g, the base, is kept beside the key, so that each word of the next key and of its base is one sum behind the S-boxes:
//
//   key    b0 + g                 b1 + g        b2 + g                      b3 + g
//   base   b0 + Rcon[r+1] + g     k1 + Rcon     k1 + b2 + Rcon + g          k1 + k3 + Rcon       where g counts twice, it is gone
module aes_key_step #(
  parameter bit Table = 1'b1
) (
  input  aes_pkg::block_t key_i,
  input  aes_pkg::block_t base_i,
  input  logic [7:0]      constant_i,
  output aes_pkg::block_t key_o,
  output aes_pkg::block_t base_o
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

  // What needs no S-box is made beside them
  // verilator lint_off UNUSEDSIGNAL
  logic [3:0][31:0] words;  // two of them
  // verilator lint_on UNUSEDSIGNAL
  logic [3:0][31:0] base;
  logic [31:0]      constant;
  assign words    = key_i;
  assign base     = base_i;
  assign constant = {24'd0, constant_i};

  assign key_o  = base ^ {4{substituted}};
  assign base_o = {words[1] ^ words[3] ^ constant, (words[1] ^ base[2] ^ constant) ^ substituted, words[1] ^ constant,
                   (base[0] ^ constant) ^ substituted};

endmodule
