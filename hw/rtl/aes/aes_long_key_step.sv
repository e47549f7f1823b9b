// SPDX-License-Identifier: Apache-2.0
// The key schedule of a key of 192 or 256 bits, from two round keys to the next (FIPS 197 5.2), without a register.
//
//   cycle        0
//   earlier_i    key of round r - 1
//   key_i        key of round r
//   turn_i       r + 1, modulo 3 (192 bits) or 2 (256 bits): where in the next key the S-boxes are
//   constant_i   x^n, in the first byte of Rcon, if they are in one of its words with Rcon
//   key_o        key of round r + 1
//   used_o       constant_i is in it: the next is twice as much
//
//   word of the next key       0                        1           2                  3
//   192 bits, turn 0           k(-6) + g                + k(-6)     + k(-6)            + k(-6)      each + the word before it,
//             turn 1           k(-6)                    + k(-6)     k(-6) + g          + k(-6)      or + g(the word before it);
//             turn 2           k(-6)                    + k(-6)     + k(-6)            + k(-6)      k(-n): n words before
//   256 bits, turn 0           k(-8) + g                + k(-8)     + k(-8)            + k(-8)
//             turn 1           k(-8) + SubWord          + k(-8)     + k(-8)            + k(-8)
module aes_long_key_step #(
  parameter int unsigned KeyBits = 256,
  parameter bit          Table   = 1'b1
) (
  input  aes_pkg::block_t earlier_i,
  input  aes_pkg::block_t key_i,
  input  logic [1:0]      turn_i,
  input  logic [7:0]      constant_i,
  output aes_pkg::block_t key_o,
  output logic            used_o
);

  if (KeyBits != 192 && KeyBits != 256) begin : gen_bad_bits
    $fatal(1, "aes_long_key_step: KeyBits must be 192 or 256");
  end

  localparam int unsigned Back = KeyBits / 32;

  logic [7:0][31:0] prior;   // words of the two keys, the oldest first
  logic [3:0][31:0] next;
  logic [31:0]      boxed, substituted;  // what the S-boxes are given, and give
  logic             in_first, in_third;  // the word that has it
  assign prior   = {key_i, earlier_i};
  assign in_first = KeyBits == 256 || turn_i == 2'd0;
  assign in_third = KeyBits == 192 && turn_i == 2'd1;
  assign used_o   = in_third || turn_i == 2'd0;
  assign key_o    = next;

  for (genvar i = 0; i < 4; i++) begin : gen_byte
    aes_sbox #(
      .Table(Table)
    ) u_sbox (
      .data_i(boxed[8*i+:8]),
      .data_o(substituted[8*i+:8])
    );
  end

  logic [31:0] last, g;
  assign last  = in_third ? prior[8-Back+1] ^ prior[8-Back] ^ prior[7] : prior[7];  // in the third it is word 1 of this key
  assign boxed = used_o ? {last[7:0], last[31:8]} : last;  // RotWord
  assign g     = substituted ^ (used_o ? {24'd0, constant_i} : 32'd0);
  always_comb begin
    next[0] = prior[8-Back] ^ (in_first ? g : prior[7]);
    next[1] = prior[8-Back+1] ^ next[0];
    next[2] = prior[8-Back+2] ^ (in_third ? g : next[1]);
    next[3] = prior[8-Back+3] ^ next[2];
  end

endmodule
