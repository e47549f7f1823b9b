// SPDX-License-Identifier: Apache-2.0
// CBC encryption of one message at a time: a round unit, the round key beside it, and the chain. Used by
// aes_cbc_encrypt, which has one for each message that is encrypted at once.
//
//   cycle        0     1    2   ...  10    11    12
//   in_valid_i   B0    B1   B1       B1    B1    B2     a block that waits
//   in_ready_o   1     0    0        0     1     0
//   round_q      None  1    2   ...  10    Done  1      state_q after round 0, 1, ..., 9, 10 of B0; then of B1
//   out_valid_o                                  C0     C0 is in state_q in cycle 11, when B1 is added to it
//
// Contract    A block is data with the block before it in its message: the IV if in_first_i, else the lane's last
//             answer. key_i and next_key_i are the keys of round 0 and 1 of the block on offer, full_i that there is
//             such a key; of a block without one, and of all that follow it in its message, the answer is refused:
//             zeros. One answer waits at out_*; one that is taken within ten cycles costs none. wipe_i drops the block
//             inside and the answer, and overwrites them; in_ready_o is low meanwhile. Ready and valid are made of
//             flip-flops.
module aes_encrypt_lane #(
  parameter bit Table = 1'b1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            wipe_i,
  input  logic            in_valid_i,
  output logic            in_ready_o,
  input  logic            in_first_i,
  input  aes_pkg::block_t in_iv_i,
  input  aes_pkg::block_t in_data_i,
  input  logic            full_i,
  input  aes_pkg::block_t key_i,
  input  aes_pkg::block_t next_key_i,
  output logic            out_valid_o,
  input  logic            out_ready_i,
  output logic            out_refused_o,
  output aes_pkg::block_t out_data_o
);

  localparam logic [3:0] None = 4'd0, Done = 4'd11;

  logic [3:0]      round_q;
  logic [7:0]      constant_q;
  logic            refused_q;
  aes_pkg::block_t state_q, key_q, state, key;
  logic            leaves, take, refuse;

  aes_round #(
    .Table(Table)
  ) u_round (
    .state_i(state_q),
    .key_i  (key_q),
    .last_i (round_q == 4'(aes_pkg::Rounds)),
    .state_o(state)
  );

  // The key of a round is there when it begins: it is made while the round before it runs
  aes_key_step #(
    .Table(Table)
  ) u_key_step (
    .key_i     (key_q),
    .constant_i(constant_q),
    .key_o     (key)
  );

  assign leaves = round_q == Done && !out_valid_o;
  assign in_ready_o = (round_q == None || leaves) && !wipe_i;
  assign take = in_valid_i && in_ready_o;
  assign refuse = !full_i || (refused_q && !in_first_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q       <= None;
      constant_q    <= '0;
      refused_q     <= 1'b1;
      state_q       <= '0;
      key_q         <= '0;
      out_valid_o   <= 1'b0;
      out_refused_o <= 1'b0;
      out_data_o    <= '0;
    end else if (wipe_i) begin
      round_q       <= None;
      refused_q     <= 1'b1;
      state_q       <= '0;
      key_q         <= '0;
      out_valid_o   <= 1'b0;
      out_refused_o <= 1'b0;
      out_data_o    <= '0;
    end else begin
      if (out_ready_i) out_valid_o <= 1'b0;
      if (leaves) begin
        out_valid_o   <= 1'b1;
        out_refused_o <= refused_q;
        out_data_o    <= state_q;
      end
      if (take) begin
        round_q    <= refuse ? Done : 4'd1;
        refused_q  <= refuse;
        constant_q <= 8'h02;
        key_q      <= next_key_i;
        state_q    <= refuse ? '0 : in_data_i ^ key_i ^ (in_first_i ? in_iv_i : state_q);
      end else if (leaves) begin
        round_q <= None;
      end else if (round_q != None && round_q != Done) begin
        round_q    <= round_q + 4'd1;
        constant_q <= aes_pkg::xtime(constant_q);
        key_q      <= key;
        state_q    <= state;
      end
    end
  end

endmodule
