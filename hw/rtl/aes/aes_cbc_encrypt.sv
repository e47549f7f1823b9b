// SPDX-License-Identifier: Apache-2.0
// AES-CBC encryption of as many messages at once as there are round units: each block needs the one before it, so
// only other messages fill more units. Used by aes_engine.
//
//   lane 0   B0 ......... 11 cycles C0, B1 ......... 11 cycles C1      aes_encrypt_lane: a message each
//   lane 1      B0 ......... 11 cycles C0, B1 ...
//            <- key slots: keys of round 0 and 1, read by every lane in the cycle behind the one in which it takes a block
//
//   cycle        0    1     2     3
//   key_valid_i  K
//   key_ready_o  1    0     0     1                     a key is taken in one cycle and full in its slot three later
//   u_pair            K                                 whatever the port shows: what decides stays near the slots
//   slot_full_o       0     0     1
//   write_q                 1                           for its slot
//
// Contract    As aes_encrypt_lane, for each lane: bit and word l of the ports. A key that is loaded is that of the
//             blocks taken while its slot is full; those inside keep theirs, and lanes run on. No output gives out a
//             key. empty_i, a bit a slot: that slot is empty until a key is loaded. zeroise_i, and reset: empty slots at
//             once, then as many cycles as slots, and two at least, in which all is overwritten; blocks inside are dropped,
//             and those that are taken before the erasure reaches a lane, which is lane l in the cycle l + 1 from zeroise_i
//             on. Ready and valid are flip-flops.
// Parameters  KeyBits 128, as drawn, 192 or 256: 13 and 15 cycles a block. Units: round units, 1 to 4. KeySlots 1 to 16. Table: see aes_sbox.
module aes_cbc_encrypt #(
  parameter  int unsigned KeyBits   = 128,
  parameter  int unsigned Units     = 4,
  parameter  int unsigned KeySlots  = 4,
  parameter  bit          Table     = 1'b1,
  localparam int unsigned SlotWidth = KeySlots > 1 ? $clog2(KeySlots) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       zeroise_i,
  input  logic [KeySlots-1:0]        empty_i,      // pulses
  input  logic                       key_valid_i,
  output logic                       key_ready_o,
  input  logic [SlotWidth-1:0]       key_slot_i,
  input  logic [KeyBits-1:0]         key_i,
  output logic [KeySlots-1:0]        slot_full_o,
  input  logic [Units-1:0]           in_valid_i,
  output logic [Units-1:0]           in_ready_o,
  input  logic [Units-1:0]           in_first_i,
  input  logic [Units*SlotWidth-1:0] in_slot_i,
  input  logic [Units*128-1:0]       in_iv_i,
  input  logic [Units*128-1:0]       in_data_i,
  output logic [Units-1:0]           out_valid_o,
  input  logic [Units-1:0]           out_ready_i,
  output logic [Units-1:0]           out_refused_o,
  output logic [Units*128-1:0]       out_data_o
);

  if (KeyBits != 128 && KeyBits != 192 && KeyBits != 256) begin : gen_bad_bits
    $fatal(1, "aes_cbc_encrypt: KeyBits must be 128, 192 or 256");
  end
  if (Units < 1 || Units > 4) begin : gen_bad_units
    $fatal(1, "aes_cbc_encrypt: Units must be 1 to 4");
  end
  if (KeySlots < 1 || KeySlots > 16) begin : gen_bad_slots
    $fatal(1, "aes_cbc_encrypt: KeySlots must be 1 to 16");
  end

  localparam int unsigned Places = 1 << SlotWidth;

  logic [255:0]         keys_q[Places], pair, pair_q;
  logic                 loading_q, storing_q, wiping_q;  // the key is in u_pair, then in pair_q
  logic                 take_key, writes_q;              // one of write_q
  logic [Places-1:0]    write_q;                         // the slot that pair_q is written to
  logic [SlotWidth-1:0] slot_q, key_slot_q, write_slot;  // being wiped; of u_pair; that is written next
  logic [Places-1:0]    full_q;

  aes_key_pair #(
    .KeyBits(KeyBits),
    .Table  (Table)
  ) u_pair (
    .clk_i,
    .rst_ni,
    .wipe_i(wiping_q),
    .key_i,
    .pair_o(pair)
  );

  assign take_key    = key_valid_i && key_ready_o;
  // From lane to lane: they lie apart, so no wire is to go to all
  logic [Units:0] wipes_q;  // of each lane; until the last one's is done
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipes_q <= '1;
    else wipes_q <= {wipes_q[Units-1:0], zeroise_i || wiping_q};
  end

  assign key_ready_o = !loading_q && !writes_q && !wiping_q && !wipes_q[Units];
  assign slot_full_o = full_q[KeySlots-1:0];

  assign write_slot = wiping_q ? slot_q : key_slot_q;

  // A slot's write enable is a flip-flop: it goes to all of a slot
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Places; s++) if (write_q[s]) keys_q[s] <= pair_q;  // SEC_CM: ERASE.CONTROL
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writes_q   <= 1'b0;
      write_q    <= '0;
      key_slot_q <= '0;
      pair_q     <= '0;
    end else begin
      for (int unsigned s = 0; s < Places; s++) write_q[s] <= (loading_q || wiping_q) && write_slot == SlotWidth'(s);
      if (!loading_q) key_slot_q <= key_slot_i;
      writes_q <= loading_q || wiping_q;
      pair_q   <= loading_q ? pair : '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q    <= '0;
      loading_q <= 1'b0;
      storing_q <= 1'b0;
      wiping_q  <= 1'b1;
      slot_q    <= '0;
    end else begin
      if (zeroise_i) begin
        full_q    <= '0;  // SEC_CM: ERASE.CONTROL
        loading_q <= 1'b0;
        storing_q <= 1'b0;
        wiping_q  <= 1'b1;
        slot_q    <= '0;
      end else if (wiping_q) begin
        wiping_q <= slot_q != SlotWidth'(Places - 1);
        slot_q   <= slot_q + SlotWidth'(1);
      end else if (loading_q) begin
        loading_q <= 1'b0;
        storing_q <= 1'b1;
      end else if (storing_q) begin
        storing_q          <= 1'b0;
        full_q[key_slot_q] <= 1'b1;  // SEC_CM: KEY.LOADED_WHOLE
      end else if (take_key) begin
        loading_q          <= 1'b1;
        full_q[key_slot_i] <= 1'b0;
      end
      // SEC_CM: KEY.IN_ORDER
      for (int unsigned s = 0; s < KeySlots; s++) if (empty_i[s]) full_q[s] <= 1'b0;
    end
  end

  for (genvar l = 0; l < Units; l++) begin : gen_lane
    logic [SlotWidth-1:0] slot, key_slot;
    logic [127:0]         key, next;
    assign slot = in_slot_i[l*SlotWidth+:SlotWidth];
    assign {next, key} = keys_q[key_slot];

    aes_encrypt_lane #(
      .KeyBits  (KeyBits),
      .SlotWidth(SlotWidth),
      .Table    (Table)
    ) u_lane (
      .clk_i,
      .rst_ni,
      .wipe_i       (wipes_q[l]),
      .in_valid_i   (in_valid_i[l]),
      .in_ready_o   (in_ready_o[l]),
      .in_first_i   (in_first_i[l]),
      .in_slot_i    (slot),
      .in_iv_i      (in_iv_i[l*128+:128]),
      .in_data_i    (in_data_i[l*128+:128]),
      .full_i       (full_q[slot]),
      .key_slot_o   (key_slot),
      .key_i        (key),
      .next_key_i   (next),
      .out_valid_o  (out_valid_o[l]),
      .out_ready_i  (out_ready_i[l]),
      .out_refused_o(out_refused_o[l]),
      .out_data_o   (out_data_o[l*128+:128])
    );
  end

endmodule
