// SPDX-License-Identifier: Apache-2.0
// CBC encryption of one message at a time: a round unit, the round key beside it, and the chain. Used by
// aes_cbc_encrypt, which has one for each message that is encrypted at once.
//
//   cycle        0     1    2    3    4    5    6   ...  13   14   15    16
//   in_valid_i   B0    B1   B1   B1   B1                      B2   B2
//   in_ready_o   1     0    0    0    1    0    0        0    0    1     0      the next block is taken while one is inside
//   data_q             B0   B0             B1   B1                               with the IV; key_slot_o is that of its key
//   white_q                 K0                  K0                               the key of round 0
//   entry_q                      B0   B0                 B1   B1   B1            with it
//   next_key_q                        K1   K2   K3       K10       K1    K2      a key ahead
//   advance_q                    0    1    1    1        1    0    1     1
//   round_q                      0    0    1    1        1    1    0     1       the cycles in which state_q goes through a round
//   key_q                                  K1   K2       K9   K10        K1
//   state_q                                0    1        8    9          0       after this round; a new one is entry_q + answer_q
//   answer_q                                                       C0    C0      stays until the next one comes: it is the chain
//   out_valid_o                                                          C0
//
// The lanes of aes_cbc_encrypt lie apart from each other and from what feeds them, so a block and its keys cross to their lane
// with one gate between two flip-flops, and what loads 128 of them at once is a flip-flop too. The key schedule lies apart from
// the rounds; it is a key ahead, which crosses to them by a wire between two flip-flops.
//
// Contract    A block is data with the block before it in its message: the IV if in_first_i, else the lane's last
//             answer. full_i: in_slot_i, that of the block on offer, has a key; of a block without one, and of all that
//             follow it in its message, the answer is refused: zeros. key_i and next_key_i are the keys of round 0 and 1
//             in key_slot_o, in the two cycles behind the one in which the block is taken. One answer waits at out_*; one
//             that is taken within nine cycles costs none. wipe_i, for three cycles at least, drops the blocks inside, one
//             that is taken in its first cycle and the answers, and overwrites them; in_ready_o is low from its second
//             cycle on until one behind it. Ready and valid are flip-flops.
// Parameters  KeyBits 128, as drawn, 192 or 256: two and four rounds more. Table: see aes_sbox.
module aes_encrypt_lane #(
  parameter int unsigned KeyBits   = 128,
  parameter int unsigned SlotWidth = 2,
  parameter bit          Table     = 1'b1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 wipe_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic                 in_first_i,
  input  logic [SlotWidth-1:0] in_slot_i,
  input  aes_pkg::block_t      in_iv_i,
  input  aes_pkg::block_t      in_data_i,
  input  logic                 full_i,
  output logic [SlotWidth-1:0] key_slot_o,
  input  aes_pkg::block_t      key_i,
  input  aes_pkg::block_t      next_key_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic                 out_refused_o,
  output aes_pkg::block_t      out_data_o
);

  localparam int unsigned Rounds = aes_pkg::rounds(KeyBits);

  logic            wipe_q;
  logic            open_q;                               // data_q takes what its port shows
  logic [1:0]      taken_q;                              // data_q is a block, in its first cycle, in its second
  aes_pkg::block_t data_q, white_q;
  logic            enter_q, leave_q;                     // what comes into entry_q and answer_q; erasure, too
  logic            waits_q, chained_q, entry_refused_q;  // of the block in data_q, or entry_q
  aes_pkg::block_t entry_q, entry_key_q;
  logic            advance_q, round_q, refused_q;        // of the one inside; advance_q: its next key is for a round
  logic [Rounds-1:0] step_q;                             // one bit: round 1, 2, ..., Rounds runs
  aes_pkg::block_t state_q, key_q, state, last;
  aes_pkg::block_t next_key_q;
  logic            answer_here_q, answer_refused_q;
  aes_pkg::block_t answer_q;
  logic            take, start, stays, ends, leaves, refuse;

  aes_round #(
    .Table(Table)
  ) u_round (
    .state_i(state_q),
    .round_i(round_q),
    .add_i  (round_q ? key_q : entry_q ^ (chained_q ? answer_q : '0)),
    .key_i  (key_q),
    .state_o(state),
    .last_o (last)
  );

  // The key schedule, a key ahead
  if (KeyBits == 128) begin : gen_128
    logic [7:0]      constant_q;
    aes_pkg::block_t base_q, key, base;

    aes_key_step #(
      .Table(Table)
    ) u_key_step (
      .key_i     (next_key_q),
      .base_i    (base_q),
      .constant_i(constant_q),
      .key_o     (key),
      .base_o    (base)
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        constant_q <= '0;
        next_key_q <= '0;
        base_q     <= '0;
      end else begin
        next_key_q <= advance_q ? key : entry_key_q;
        base_q     <= advance_q ? base : aes_pkg::key_base(entry_key_q, 8'h02);
        constant_q <= advance_q ? aes_pkg::xtime(constant_q) : 8'h04;
      end
    end
  end else begin : gen_long
    aes_pkg::block_t entry_white_q, unused_earlier;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) entry_white_q <= '0;
      else if (enter_q) entry_white_q <= wipe_q ? '0 : white_q;
    end

    aes_long_schedule #(
      .KeyBits(KeyBits),
      .Table  (Table)
    ) u_schedule (
      .clk_i,
      .rst_ni,
      .advance_i(advance_q),
      .pair_i   ({entry_key_q, entry_white_q}),
      .earlier_o(unused_earlier),
      .key_o    (next_key_q)
    );
  end

  assign take   = in_valid_i && in_ready_o;
  assign refuse = !full_i || (entry_refused_q && !in_first_i);
  // In the last round of the block before it at the earliest, and only when no answer waits for its reader: that block's leaves
  // at once then, before the next one comes
  assign start  = waits_q && !advance_q && !out_valid_o;
  assign stays  = taken_q != '0 || (waits_q && !start);
  assign ends   = step_q[Rounds-1];
  assign leaves = answer_here_q && !out_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_ready_o      <= 1'b0;
      taken_q         <= '0;
      waits_q         <= 1'b0;
      entry_refused_q <= 1'b1;
      advance_q       <= 1'b0;
      round_q         <= 1'b0;
      step_q          <= '0;
      answer_here_q   <= 1'b0;
      out_valid_o     <= 1'b0;
    end else if (wipe_i) begin
      in_ready_o      <= 1'b0;
      taken_q         <= '0;
      waits_q         <= 1'b0;
      entry_refused_q <= 1'b1;
      advance_q       <= 1'b0;
      round_q         <= 1'b0;
      step_q          <= '0;
      answer_here_q   <= 1'b0;
      out_valid_o     <= 1'b0;
    end else begin
      in_ready_o      <= !take && !stays;
      taken_q         <= {taken_q[0], take};
      waits_q         <= taken_q[1] || (waits_q && !start);
      advance_q       <= start || (advance_q && !step_q[Rounds-2]);
      round_q         <= advance_q;
      step_q          <= {step_q[Rounds-2:0], advance_q && !round_q};
      answer_here_q   <= ends || (answer_here_q && !leaves);
      out_valid_o     <= leaves || (out_valid_o && !out_ready_i);
      if (take) entry_refused_q <= refuse;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wipe_q           <= 1'b1;
      open_q           <= 1'b1;
      enter_q          <= 1'b1;
      leave_q          <= 1'b1;
      chained_q        <= 1'b0;
      key_slot_o       <= '0;
      data_q           <= '0;
      white_q          <= '0;
      entry_q          <= '0;
      entry_key_q      <= '0;
      refused_q        <= 1'b0;
      state_q          <= '0;
      key_q            <= '0;
      answer_refused_q <= 1'b0;
      answer_q         <= '0;
      out_refused_o    <= 1'b0;
      out_data_o       <= '0;
    end else begin
      wipe_q     <= wipe_i;
      open_q     <= wipe_i || (!take && !stays);
      enter_q    <= taken_q[0] || wipe_i;
      leave_q    <= step_q[Rounds-2] || wipe_i;
      // SEC_CM: ERASE.WORKING_REGISTERS
      if (open_q) begin
        key_slot_o <= in_slot_i;
        data_q     <= wipe_q ? '0 : in_data_i ^ (in_first_i ? in_iv_i : '0);
      end
      white_q    <= wipe_q ? '0 : key_i;
      // With round_q and advance_q low after the first cycle of wipe_i, these are of zeros, as entry and answer
      state_q    <= state;
      key_q      <= next_key_q;
      if (take) chained_q <= !in_first_i;
      if (start) refused_q <= entry_refused_q;
      if (enter_q) begin
        entry_q     <= wipe_q ? '0 : data_q ^ white_q;
        entry_key_q <= wipe_q ? '0 : next_key_i;
      end
      if (leave_q) begin
        answer_refused_q <= refused_q;
        answer_q         <= wipe_q || refused_q ? '0 : last;
      end
      // Whatever the last answer is, until there is a new one
      if (!out_valid_o) begin
        out_refused_o <= answer_refused_q;
        out_data_o    <= answer_q;
      end
    end
  end

endmodule
