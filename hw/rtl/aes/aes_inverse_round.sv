// SPDX-License-Identifier: Apache-2.0
// One round of the equivalent inverse cipher, FIPS 197 5.3.5, with two registers after the S-box, and the round keys that
// it adds: those of its rounds, of every key slot. Used by aes_cbc_decrypt, which has one to ten of them.
//
//   cycle      0      1      2      3
//   state_i    A      B      C      D       a block a cycle, each with a key slot of its own
//   boxed_q           A      B      C       InvSubBytes
//   shifted_q                A      B       InvShiftRows: a wire between two flip-flops, as S-boxes and columns lie apart
//   key_q                    k(A)   k(B)    place_i, last_i: with state_i
//   state_o                  A'     B'      InvMixColumns but in the last round, AddRoundKey
//
// Contract    write_i writes write_key_i to write_place_i, a cycle later (all stages hang on these wires): a block whose
//             state_i was there in the cycle of write_i or before has the old key. wipe_i, for two cycles at least, overwrites
//             the states and the key inside with zeros; places are wiped by writing zeros to them.
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
  aes_pkg::block_t       substituted, boxed_q, shifted_q, key_q, write_key_q;
  logic                  boxed_last_q, last_q, write_q;
  logic [PlaceWidth-1:0] boxed_place_q, write_place_q;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aes_inverse_sbox #(
      .Table(Table)
    ) u_sbox (
      .data_i(state_i[i]),
      .data_o(substituted[i])
    );
  end

  always_ff @(posedge clk_i) begin
    write_q       <= write_i;
    write_place_q <= write_place_i;
    write_key_q   <= write_key_i;
    if (write_q) keys_q[write_place_q] <= write_key_q;
  end

  always_ff @(posedge clk_i) begin
    boxed_last_q  <= last_i;
    boxed_place_q <= place_i;
    boxed_q       <= wipe_i ? '0 : substituted;  // SEC_CM: ERASE.WORKING_REGISTERS
    last_q        <= boxed_last_q;
    shifted_q     <= aes_pkg::inverse_shift_rows(boxed_q);
    key_q         <= wipe_i ? '0 : keys_q[boxed_place_q];
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
