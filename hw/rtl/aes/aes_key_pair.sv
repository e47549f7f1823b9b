// SPDX-License-Identifier: Apache-2.0
// The first two round keys of a key (FIPS 197 5.2), from which its schedule goes on. Used by aes_cbc_encrypt.
//
//   cycle        0    1
//   key_i        K
//   pair_o            {round 1, round 0}
//
// Contract    wipe_i: what is inside is overwritten.
// Parameters  KeyBits 128, 192 or 256. Table: see aes_sbox.
module aes_key_pair #(
  parameter int unsigned KeyBits = 128,
  parameter bit          Table   = 1'b1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               wipe_i,
  input  logic [KeyBits-1:0] key_i,
  output logic [255:0]       pair_o
);

  logic [KeyBits-1:0] key_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) key_q <= '0;
    else key_q <= wipe_i ? '0 : key_i;  // SEC_CM: ERASE.WORKING_REGISTERS
  end

  if (KeyBits == 128) begin : gen_128
    aes_pkg::block_t base_q, unused_base;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) base_q <= '0;
      else base_q <= wipe_i ? '0 : aes_pkg::key_base(key_i, 8'h01);
    end

    aes_key_step #(
      .Table(Table)
    ) u_step (
      .key_i     (key_q),
      .base_i    (base_q),
      .constant_i(8'h00),
      .key_o     (pair_o[255:128]),
      .base_o    (unused_base)
    );
    assign pair_o[127:0] = key_q;
  end else begin : gen_long
    aes_long_first #(
      .KeyBits(KeyBits),
      .Table  (Table)
    ) u_first (
      .key_i (key_q),
      .pair_o
    );
  end

endmodule
