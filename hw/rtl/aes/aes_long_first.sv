// SPDX-License-Identifier: Apache-2.0
// The first two round keys of a key of 192 or 256 bits (FIPS 197 5.2), without a register.
//
//   cycle     0
//   key_i     K
//   pair_o    {round 1, round 0}
//
// A key of 256 bits is both. One of 192 lacks the last two words: they are those of a step whose words before the key are
// what makes its first two come out as they are.
module aes_long_first #(
  parameter int unsigned KeyBits = 256,
  parameter bit          Table   = 1'b1
) (
  input  logic [KeyBits-1:0] key_i,
  output logic [255:0]       pair_o
);

  if (KeyBits == 256) begin : gen_256
    assign pair_o = key_i;
  end else begin : gen_192
    logic [5:0][31:0] words;
    logic             unused_used;
    assign words         = key_i;
    assign pair_o[127:0] = words[3:0];

    aes_long_key_step #(
      .KeyBits(KeyBits),
      .Table  (Table)
    ) u_step (
      .earlier_i ({words[5] ^ words[4], words[4] ^ words[3], 64'd0}),
      .key_i     (words[3:0]),
      .turn_i    (2'd1),
      .constant_i(8'h01),
      .key_o     (pair_o[255:128]),
      .used_o    (unused_used)
    );
  end

endmodule
