// SPDX-License-Identifier: Apache-2.0
// aes_key_step: with the base of a round key beside it, the next round key of FIPS 197, 5.2, and its base. SubWord is the
// table, which aes_sbox_formal proves.
module aes_key_step_formal (
  input aes_pkg::block_t key_i,
  input logic [7:0]      constant_i   // of this round: any byte; the next is twice as much
);

  aes_pkg::block_t key, base;

  aes_key_step u_step (
    .key_i,
    .base_i    (aes_pkg::key_base(key_i, constant_i)),
    .constant_i(aes_pkg::xtime(constant_i)),
    .key_o     (key),
    .base_o    (base)
  );

  // 5.2: w[i] = w[i-4] + w[i-1], and of each fourth word SubWord(RotWord(w[i-1])) + Rcon in its place
  logic [3:0][31:0] words, next;
  assign words = key_i;
  always_comb begin
    next[0] = words[0] ^ {aes_pkg::Forward[words[3][7:0]], aes_pkg::Forward[words[3][31:24]],
                          aes_pkg::Forward[words[3][23:16]], aes_pkg::Forward[words[3][15:8]]} ^ {24'd0, constant_i};
    for (int unsigned i = 1; i < 4; i++) next[i] = words[i] ^ next[i-1];

    assert (key == next);
    assert (base == aes_pkg::key_base(next, aes_pkg::xtime(constant_i)));
    cover (key == '0);
  end

endmodule
