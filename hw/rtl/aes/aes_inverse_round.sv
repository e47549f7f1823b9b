// SPDX-License-Identifier: Apache-2.0
// One round of the equivalent inverse cipher, FIPS 197 5.3.5, with a register after the S-box, and the round keys that
// it adds: those of its rounds, of every key slot. Used by aes_cbc_decrypt, which has one to ten of them.
//
//   cycle      0      1      2
//   state_i    A      B      C       a block a cycle, each with a key slot of its own
//   key        k(A)   k(B)           place_i, last_i: with state_i
//   state_o           A'     B'      InvSubBytes, InvShiftRows, InvMixColumns but in the last round, AddRoundKey
//
// Contract    write_i writes write_key_i to write_place_i, a cycle later (all stages hang on these wires): a block that
//             reads the place in that cycle has the old key. wipe_i overwrites the state and key inside with zeros; places are wiped by writing zeros to them.
// Parameters  Places: round keys, a power of two. EndsHere: the last round can be among those of this stage; EndsAlways:
//             it is the only one.
module aes_inverse_round #(
  parameter  int unsigned Places     = 4,
  parameter  bit          EndsHere   = 1'b1,
  parameter  bit          EndsAlways = 1'b0,
  parameter  bit          Table      = 1'b1,
  localparam int unsigned PlaceWidth = Places > 1 ? $clog2(Places) : 1
) (
  input  logic                  clk_i,
  input  logic                  wipe_i,
  input  logic                  write_i,
  input  logic [PlaceWidth-1:0] write_place_i,
  input  aes_pkg::block_t       write_key_i,
  input  aes_pkg::block_t       state_i,
  input  logic [PlaceWidth-1:0] place_i,
  input  logic                  last_i,
  output aes_pkg::block_t       state_o
);

  aes_pkg::block_t       keys_q[Places];
  aes_pkg::block_t       substituted, shifted_q, key_q, write_key_q;
  logic                  last_q, write_q;
  logic [PlaceWidth-1:0] place_q;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aes_inverse_sbox #(
      .Table(Table)
    ) u_sbox (
      .data_i(state_i[i]),
      .data_o(substituted[i])
    );
  end

  always_ff @(posedge clk_i) begin
    write_q     <= write_i;
    place_q     <= write_place_i;
    write_key_q <= write_key_i;
    if (write_q) keys_q[place_q] <= write_key_q;
  end

  always_ff @(posedge clk_i) begin
    last_q    <= last_i;
    shifted_q <= wipe_i ? '0 : aes_pkg::inverse_shift_rows(substituted);
    key_q     <= wipe_i ? '0 : keys_q[place_i];
  end

  if (EndsAlways) begin : gen_last
    logic unused_last;
    assign unused_last = last_q;
    assign state_o = shifted_q ^ key_q;
  end else if (EndsHere) begin : gen_either
    assign state_o = (last_q ? shifted_q : aes_pkg::inverse_mix_columns(shifted_q)) ^ key_q;
  end else begin : gen_inner
    logic unused_last;
    assign unused_last = last_q;
    assign state_o = aes_pkg::inverse_mix_columns(shifted_q) ^ key_q;
  end

endmodule
