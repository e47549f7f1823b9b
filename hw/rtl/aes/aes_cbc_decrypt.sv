// SPDX-License-Identifier: Apache-2.0
// AES-CBC decryption, a pipeline that never stalls: every block can be deciphered before the one before it, so one
// message fills it. Used by aes_engine.
//
//   in -> ^ key 0 -> state_q[0] -> round -> ... -> state_q[Stages-1] -> round -> last_q -> ^ chain -> answers -> out
//                        ^           aes_inverse_round, three cycles each   |                ^
//                        +--------- Passes = Rounds / Stages times ----------+       block before it, or IV
//
//   cycle        0     1     2     3    ...   31    32    33    34     Stages = Rounds = 10; with 5, 2, 1 a block every
//   in_valid_i   B0    B1    B2    B3                                  Passes cycles, and the same latency
//   in_ready_o   1     1     1     1
//   state_q[0]         B0    B1    B2
//   last_q                                    B0    B1
//   answers_q                                       P0    P1           a place was free for it when it entered
//   out_valid_o                                           P0    P1
//
// The rounds are those of the equivalent inverse cipher (FIPS 197 5.3.5): the round key is added behind InvMixColumns, in
// the same look-up tables as its last sum, where the straightforward inverse (5.3) has a level of its own between S-box
// and InvMixColumns. Its price, InvMixColumns of the round keys, is paid once for a key, in aes_inverse_schedule.
//
// Contract    A block is data with the block before it in its message: the IV if in_first_i, else the block taken before.
//             Any block may have another key slot than the one before it. Of a block whose slot is not full, and of all
//             that follow it in its message, the answer is refused: zeros. Answers come in order; out_* holds until it
//             is taken. A key that is loaded empties its slot at once and fills it 46 cycles later (54 and 62), when no block with
//             the old key is inside; all other slots go on. No output gives out a key. empty_i, a bit a slot: that slot is
//             empty until a key is loaded; blocks inside keep theirs. zeroise_i, and reset: slots are empty and blocks and
//             answers dropped at once; then, until key_ready_o, all is overwritten and nothing is taken. Ready and valid are
//             made of flip-flops.
// Parameters  KeyBits 128, 192 or 256, of 10, 12 or 14 rounds. Stages: rounds in hardware, a divisor of these. KeySlots 1 to 16. Table: see aes_inverse_sbox.
module aes_cbc_decrypt #(
  parameter  int unsigned KeyBits   = 128,
  parameter  int unsigned Stages    = 10,
  parameter  int unsigned KeySlots  = 4,
  parameter  bit          Table     = 1'b1,
  localparam int unsigned SlotWidth = KeySlots > 1 ? $clog2(KeySlots) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 zeroise_i,
  input  logic [KeySlots-1:0]  empty_i,     // pulses
  input  logic                 key_valid_i,
  output logic                 key_ready_o,
  input  logic [SlotWidth-1:0] key_slot_i,
  input  logic [KeyBits-1:0]   key_i,
  output logic [KeySlots-1:0]  slot_full_o,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic                 in_first_i,
  input  logic [SlotWidth-1:0] in_slot_i,
  input  aes_pkg::block_t      in_iv_i,
  input  aes_pkg::block_t      in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic                 out_refused_o,
  output aes_pkg::block_t      out_data_o
);

  localparam int unsigned Rounds = aes_pkg::rounds(KeyBits);

  if (KeyBits != 128 && KeyBits != 192 && KeyBits != 256) begin : gen_bad_bits
    $fatal(1, "aes_cbc_decrypt: KeyBits must be 128, 192 or 256");
  end
  if (Stages < 1 || Rounds % Stages != 0) begin : gen_bad_stages
    $fatal(1, "aes_cbc_decrypt: Stages must divide the rounds, of which there are 10, 12 or 14");
  end
  if (KeySlots < 1 || KeySlots > 16) begin : gen_bad_slots
    $fatal(1, "aes_cbc_decrypt: KeySlots must be 1 to 16");
  end

  localparam int unsigned Passes     = Rounds / Stages;
  localparam int unsigned PassWidth  = Passes > 1 ? $clog2(Passes) : 0;
  localparam int unsigned PlaceWidth = SlotWidth + PassWidth;  // of a round key: slot, then pass
  localparam int unsigned Places     = 1 << PlaceWidth;
  localparam int unsigned Latency    = 3 * Rounds + 1;  // cycles until no key is needed any more
  localparam int unsigned BufferLog2 = 6;                        // more than a block is cycles inside
  localparam int unsigned WipeWidth  = PlaceWidth > BufferLog2 ? PlaceWidth : BufferLog2;

  // Keys and their erasure.
  logic                 wiping_q, wipe, start, busy, write, load_ends;
  logic [WipeWidth-1:0] wipe_q;
  logic [SlotWidth-1:0] slot_q;  // that is being loaded
  logic [KeySlots-1:0]  full_q;
  logic [3:0]           write_round;
  aes_pkg::block_t      write_key;
  logic                 loading_q;

  assign wipe        = zeroise_i || wiping_q;
  assign key_ready_o = !loading_q && !wiping_q;
  assign slot_full_o = full_q;
  assign start       = key_valid_i && key_ready_o;  // with zeroise_i it is wiped in the next cycle
  assign load_ends   = loading_q && !busy;

  aes_inverse_schedule #(
    .KeyBits(KeyBits),
    .Wait   (Latency + 3),
    .Table  (Table)
  ) u_schedule (
    .clk_i,
    .rst_ni,
    .wipe_i (wiping_q),
    .start_i(start),
    .key_i,
    .busy_o (busy),
    .write_o(write),
    .round_o(write_round),
    .key_o  (write_key)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wiping_q  <= 1'b1;
      wipe_q    <= '0;
      full_q    <= '0;
      loading_q <= 1'b0;
      slot_q    <= '0;
    end else begin
      if (zeroise_i) begin
        wiping_q  <= 1'b1;
        wipe_q    <= '0;
        full_q    <= '0;
        loading_q <= 1'b0;
      end else if (wiping_q) begin
        wiping_q <= wipe_q != '1;
        wipe_q   <= wipe_q + WipeWidth'(1);
      end else if (load_ends) begin
        loading_q <= 1'b0;
        for (int unsigned s = 0; s < KeySlots; s++) if (slot_q == SlotWidth'(s)) full_q[s] <= 1'b1;  // SEC_CM: KEY.LOADED_WHOLE
      end else if (start) begin
        loading_q <= 1'b1;
        slot_q    <= key_slot_i;
        for (int unsigned s = 0; s < KeySlots; s++) if (key_slot_i == SlotWidth'(s)) full_q[s] <= 1'b0;
      end
      // SEC_CM: KEY.IN_ORDER
      for (int unsigned s = 0; s < KeySlots; s++) if (empty_i[s]) full_q[s] <= 1'b0;
    end
  end

  // The key that is added before the first round.
  aes_pkg::block_t      first_keys_q[1 << SlotWidth];
  logic [SlotWidth-1:0] first_place;
  assign first_place = wiping_q ? wipe_q[SlotWidth-1:0] : slot_q;

  always_ff @(posedge clk_i) begin
    // SEC_CM: ERASE.CONTROL
    if (wiping_q || (write && write_round == '0)) first_keys_q[first_place] <= wiping_q ? '0 : write_key;
  end

  // What is inside: of each stage a block before its S-boxes (0), one behind them (1) and one before the columns (2).
  typedef struct packed {
    logic                  valid;
    logic [PlaceWidth-1:0] place;
  } inside_t;

  inside_t [Stages-1:0][2:0]    inside_q;
  aes_pkg::block_t [Stages-1:0] state_q, state;
  logic                         take, ends, returns;
  aes_pkg::block_t              last_q;

  function automatic logic is_last(logic [PlaceWidth-1:0] place);
    return (place & PlaceWidth'((1 << PassWidth) - 1)) == PlaceWidth'(Passes - 1);
  endfunction

  // The erasure of a stage's states begins and ends a cycle after that of the stage before it, so that no wire goes to all.
  // It ends before the first block is there, which is three cycles in each stage.
  logic [Stages-1:0] stage_wipe_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stage_wipe_q <= '1;
    else stage_wipe_q <= Stages'({stage_wipe_q, wipe});
  end

  assign take    = in_valid_i && in_ready_o;
  assign ends    = inside_q[Stages-1][2].valid && is_last(inside_q[Stages-1][2].place);
  assign returns = inside_q[Stages-1][2].valid && !is_last(inside_q[Stages-1][2].place);

  for (genvar s = 0; s < Stages; s++) begin : gen_stage
    logic                  mine;
    logic [PlaceWidth-1:0] place;
    // Round n of decryption, from 1, is in stage (n - 1) mod Stages, in its pass (n - 1) / Stages
    always_comb begin
      mine  = wiping_q;
      place = wipe_q[PlaceWidth-1:0];
      for (int unsigned p = 0; p < Passes; p++) begin
        if (!wiping_q && write && write_round == 4'(p * Stages + s + 1)) begin
          mine  = 1'b1;
          place = (PlaceWidth'(slot_q) << PassWidth) | PlaceWidth'(p);
        end
      end
    end

    aes_inverse_round #(
      .Places    (Places),
      .EndsHere  (s == Stages - 1),
      .EndsAlways(s == Stages - 1 && Passes == 1),
      .Table     (Table)
    ) u_round (
      .clk_i,
      .wipe_i       (stage_wipe_q[s]),
      .write_i      (mine),
      .write_place_i(place),
      .write_key_i  (wiping_q ? '0 : write_key),
      .state_i      (state_q[s]),
      .place_i      (inside_q[s][0].place),
      .last_i       (is_last(inside_q[s][0].place)),
      .state_o      (state[s])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0;
    end else if (wipe) begin
      inside_q <= '0;
    end else begin
      for (int unsigned s = 0; s < Stages; s++) begin
        inside_q[s][2:1] <= inside_q[s][1:0];
        if (s > 0) inside_q[s][0] <= inside_q[s-1][2];
      end
      inside_q[0][0] <= '{valid: take || returns,
                          place: returns ? inside_q[Stages-1][2].place + PlaceWidth'(1)
                                         : PlaceWidth'(in_slot_i) << PassWidth};
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Stages; s++) begin
      // SEC_CM: ERASE.WORKING_REGISTERS
      if (stage_wipe_q[s]) state_q[s] <= '0;
      else if (s > 0) state_q[s] <= state[s-1];
      else state_q[0] <= returns ? state[Stages-1] : in_data_i ^ first_keys_q[in_slot_i];
    end
    last_q <= stage_wipe_q[Stages-1] ? '0 : state[Stages-1];
  end

  // The block before, to be added to what comes out, and the answers, which wait for their reader.
  typedef logic [BufferLog2-1:0] index_t;
  // In look-up tables: what a block memory reads comes too late for a sum in the same cycle
  (* ram_style = "distributed" *)
  logic [128:0]        chain_q[1 << BufferLog2];    // with it: refused
  (* ram_style = "distributed" *)
  logic [128:0]        answers_q[1 << BufferLog2];
  logic [128:0]        before_q;
  logic                refused_q, refuse, ends_q, leave, can_take;
  aes_pkg::block_t     cipher_q;
  index_t              taken_q, ended_q, answered_q, left_q;
  logic [BufferLog2:0] count_q;  // places that are taken

  // A slot number beyond KeySlots is an empty slot
  logic full;
  always_comb begin
    full = 1'b0;
    for (int unsigned s = 0; s < KeySlots; s++) if (in_slot_i == SlotWidth'(s)) full = full_q[s];
  end
  assign refuse = !full || (refused_q && !in_first_i);
  assign leave  = left_q != answered_q && (!out_valid_o || out_ready_i);
  // Two blocks may enter before the count shows it
  assign can_take = count_q < (BufferLog2 + 1)'((1 << BufferLog2) - 2) &&
                    !(inside_q[Stages-1][1].valid && !is_last(inside_q[Stages-1][1].place));

  always_ff @(posedge clk_i) begin
    // SEC_CM: ERASE.WORKING_MEMORY
    if (wiping_q) chain_q[wipe_q[BufferLog2-1:0]] <= '0;
    else if (take) chain_q[taken_q] <= {refuse, in_first_i ? in_iv_i : cipher_q};
    if (wiping_q) answers_q[wipe_q[BufferLog2-1:0]] <= '0;
    else if (ends_q) answers_q[answered_q] <= {before_q[128], before_q[128] ? '0 : last_q ^ before_q[127:0]};
    before_q <= stage_wipe_q[Stages-1] ? '0 : chain_q[ended_q];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      refused_q   <= 1'b1;
      taken_q     <= '0;
      ended_q     <= '0;
      ends_q      <= 1'b0;
      answered_q  <= '0;
      left_q      <= '0;
      count_q     <= '0;
      in_ready_o  <= 1'b0;
      out_valid_o <= 1'b0;
    end else if (wipe) begin
      refused_q   <= 1'b1;
      taken_q     <= '0;
      ended_q     <= '0;
      ends_q      <= 1'b0;
      answered_q  <= '0;
      left_q      <= '0;
      count_q     <= '0;
      in_ready_o  <= 1'b0;
      out_valid_o <= 1'b0;
    end else begin
      in_ready_o <= can_take;
      ends_q     <= ends;
      taken_q    <= taken_q + index_t'(take);
      ended_q    <= ended_q + index_t'(ends);
      answered_q <= answered_q + index_t'(ends_q);
      left_q     <= left_q + index_t'(leave);
      count_q    <= count_q + (BufferLog2 + 1)'(take) - (BufferLog2 + 1)'(leave);
      if (take) refused_q <= refuse;
      if (out_ready_i) out_valid_o <= 1'b0;
      if (leave) out_valid_o <= 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cipher_q      <= '0;
      out_refused_o <= 1'b0;
      out_data_o    <= '0;
    end else begin
      if (stage_wipe_q[0] || take) cipher_q <= stage_wipe_q[0] ? '0 : in_data_i;
      if (stage_wipe_q[0] || leave) {out_refused_o, out_data_o} <= stage_wipe_q[0] ? '0 : answers_q[left_q];
    end
  end

endmodule
