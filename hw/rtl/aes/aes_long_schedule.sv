// SPDX-License-Identifier: Apache-2.0
// The round keys of a key of 192 or 256 bits, one a cycle.
//
//   cycle        0    1    2    3    4
//   pair_i       P    P                     {round 1, round 0}
//   advance_i    0    0    1    1    1
//   earlier_o         K0   K0   K1   K2
//   key_o             K1   K1   K2   K3
//
// Contract    While advance_i is low the pair is taken, whatever it is: zeros erase what is inside.
module aes_long_schedule #(
  parameter int unsigned KeyBits = 256,
  parameter bit          Table   = 1'b1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            advance_i,
  input  logic [255:0]    pair_i,
  output aes_pkg::block_t earlier_o,
  output aes_pkg::block_t key_o
);

  // Of the next key, of round 2 in the beginning
  localparam int unsigned Turns         = KeyBits == 192 ? 3 : 2;
  localparam logic [1:0]  FirstTurn     = KeyBits == 192 ? 2'd2 : 2'd0;
  localparam logic [7:0]  FirstConstant = KeyBits == 192 ? 8'h02 : 8'h01;

  logic [1:0]      turn_q;
  logic [7:0]      constant_q;
  aes_pkg::block_t next;
  logic            used;

  aes_long_key_step #(
    .KeyBits(KeyBits),
    .Table  (Table)
  ) u_step (
    .earlier_i (earlier_o),
    .key_i     (key_o),
    .turn_i    (turn_q),
    .constant_i(constant_q),
    .key_o     (next),
    .used_o    (used)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q     <= FirstTurn;
      constant_q <= FirstConstant;
      earlier_o  <= '0;
      key_o      <= '0;
    end else if (!advance_i) begin
      turn_q             <= FirstTurn;
      constant_q         <= FirstConstant;
      {key_o, earlier_o} <= pair_i;
    end else begin
      turn_q    <= turn_q == 2'(Turns - 1) ? '0 : turn_q + 2'd1;
      if (used) constant_q <= aes_pkg::xtime(constant_q);
      earlier_o <= key_o;
      key_o     <= next;
    end
  end

endmodule
