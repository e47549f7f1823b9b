// SPDX-License-Identifier: Apache-2.0
// aes_long_key_step: the next four words of FIPS 197's KeyExpansion, 5.2, for every key and turn. SubWord is the table,
// which aes_sbox_formal proves.
module aes_long_key_step_formal #(
  parameter int unsigned KeyBits = 256
) (
  input aes_pkg::block_t earlier_i,
  input aes_pkg::block_t key_i,
  input logic [1:0]      turn_i,
  input logic [7:0]      constant_i
);

  localparam int unsigned Nk    = KeyBits / 32;
  localparam int unsigned Turns = KeyBits == 192 ? 3 : 2;

  aes_pkg::block_t key;
  logic            used;

  aes_long_key_step #(
    .KeyBits(KeyBits)
  ) u_step (
    .earlier_i,
    .key_i,
    .turn_i,
    .constant_i,
    .key_o (key),
    .used_o(used)
  );

  function automatic logic [31:0] substituted(logic [31:0] word);
    return {aes_pkg::Forward[word[31:24]], aes_pkg::Forward[word[23:16]], aes_pkg::Forward[word[15:8]],
            aes_pkg::Forward[word[7:0]]};
  endfunction

  // Words 4 (r - 1) to 4 (r + 1) + 3 of the schedule; r + 1 is turn t, modulo Turns
  logic [Turns-1:0][11:0][31:0] words;
  logic [Turns-1:0]             has_constant;
  always_comb begin
    for (int unsigned t = 0; t < Turns; t++) begin
      words[t][7:0]   = {key_i, earlier_i};
      has_constant[t] = 1'b0;
      for (int unsigned i = 8; i < 12; i++) begin
        words[t][i] = words[t][i-1];
        if ((4 * t + i - 8) % Nk == 0) begin  // RotWord: the first byte in memory, the lowest, goes to the end
          words[t][i]     = substituted({words[t][i][7:0], words[t][i][31:8]}) ^ {24'd0, constant_i};
          has_constant[t] = 1'b1;
        end else if (Nk == 8 && (4 * t + i - 8) % Nk == 4) begin
          words[t][i] = substituted(words[t][i]);
        end
        words[t][i] = words[t][i] ^ words[t][i-Nk];
      end
      if (32'(turn_i) == t) begin
        assert (key == words[t][11:8]);
        assert (used == has_constant[t]);
      end
    end
    cover (turn_i == 2'd1 && key == '0);
  end

endmodule
