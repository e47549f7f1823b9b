// SPDX-License-Identifier: Apache-2.0
// aes_round: state_o and last_o are the rounds of FIPS 197, 5.1, written here as the standard has them: rows and columns,
// and MixColumns as a product of polynomials. SubBytes is the table, which aes_sbox_formal proves.
module aes_round_formal #(
  parameter bit Table = 1'b1
) (
  input aes_pkg::block_t state_i,
  input logic            round_i,
  input aes_pkg::block_t add_i,
  input aes_pkg::block_t key_i
);

  aes_pkg::block_t state, last;

  aes_round #(
    .Table(Table)
  ) u_round (
    .state_i,
    .round_i,
    .add_i,
    .key_i,
    .state_o(state),
    .last_o (last)
  );

  // 5.1.3: {03}x^3 + {01}x^2 + {01}x + {02}
  localparam logic [3:0][7:0] Polynomial = {8'h03, 8'h01, 8'h01, 8'h02};

  aes_pkg::block_t shifted, mixed;
  always_comb begin
    for (int unsigned r = 0; r < 4; r++) begin
      for (int unsigned c = 0; c < 4; c++) shifted[4*c+r] = aes_pkg::Forward[state_i[4*((c+r)%4)+r]];  // 5.1.1, 5.1.2
    end
    mixed = '0;
    for (int unsigned c = 0; c < 4; c++) begin
      for (int unsigned r = 0; r < 4; r++) begin
        for (int unsigned k = 0; k < 4; k++) mixed[4*c+r] ^= aes_pkg::product(shifted[4*c+k], Polynomial[(r+4-k)%4]);
      end
    end

    assert (last == (shifted ^ key_i));
    assert (state == ((round_i ? mixed : '0) ^ add_i));
    cover (round_i && state == '0 && last == '0);
  end

endmodule
