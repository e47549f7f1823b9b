// SPDX-License-Identifier: Apache-2.0
// The key schedule of a key of 128 bits, from one round key to the next (FIPS 197 5.2), without a register.
//
//   cycle        0
//   key_i        key of round r - 1
//   constant_i   x^(r-1), in the first byte of Rcon[r]
//   key_o        key of round r
module aes_key_step #(
  parameter bit Table = 1'b1
) (
  input  aes_pkg::block_t key_i,
  input  logic [7:0]      constant_i,
  output aes_pkg::block_t key_o
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

  // Each word is the sum of those before it: what of it needs no S-box is made beside the S-boxes
  logic [3:0][31:0] words, sums, next;
  assign words = key_i;
  for (genvar i = 0; i < 4; i++) begin : gen_word
    if (i == 0) begin : gen_first
      assign sums[i] = words[i] ^ {24'd0, constant_i};
    end else begin : gen_others
      assign sums[i] = words[i] ^ sums[i-1];
    end
    assign next[i] = sums[i] ^ substituted;
  end
  assign key_o = next;

endmodule
