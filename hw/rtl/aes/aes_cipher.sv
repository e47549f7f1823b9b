// SPDX-License-Identifier: Apache-2.0
// The cipher of an AES engine, whichever way it goes, and the keys that messages bring to it. Between aes_messages and
// aes_cbc_encrypt or aes_cbc_decrypt.
//
//   cycle            0    1    2    3   ..   k    k+1  k+2
//   messages_i.key   1    1    1    1   ..   1    1    0   a key waits in a message
//   key_message           m
//   key_q                      1                           with key_block_q; taken when the cipher is ready for one
//   slot_full                                1             its schedule is there
//   key_end_o                                     1
//
// A key of 192 or 256 bits comes as two blocks, in ascending order; with key_next_o, a pulse, the first is taken, and the
// second is waited for.
//
// Contract    One message at a time brings a key (aes_messages sees to that); its slot is empty from empty_i on, a pulse when
//             the load begins, until the key is there. Results are taken at once. zeroise_i, a
//             pulse: keys and states are overwritten; wipe_i is high from then until key_ready_o says that they are.
// Parameters  As of aes_core.
module aes_cipher
  import aes_engine_pkg::*;
#(
  parameter bit          Decrypt  = 1'b0,
  parameter int unsigned KeyBits  = 128,
  parameter int unsigned Messages = 4,
  parameter int unsigned Stages   = 10,
  parameter int unsigned KeySlots = 4,
  parameter bit          Table    = 1'b1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        wipe_i,
  input  logic                        zeroise_i,
  input  logic [KeySlots-1:0]         empty_i,

  input  to_cipher_t [Messages-1:0]   messages_i,
  output logic [Messages-1:0]         ready_o,
  output logic [Messages-1:0]         key_next_o,  // pulse: the first block of its key is taken
  output logic [Messages-1:0]         key_end_o,   // pulse: its key is there
  output from_cipher_t [Messages-1:0] results_o,
  output logic [KeySlots-1:0]         slot_full_o,
  output logic                        key_ready_o
);

  localparam int unsigned SlotWidth    = KeySlots > 1 ? $clog2(KeySlots) : 1;
  localparam int unsigned MessageWidth = Messages > 1 ? $clog2(Messages) : 1;

  logic [Messages-1:0]                valid, first, out_valid, out_refused;
  logic [Messages-1:0][SlotWidth-1:0] slot;
  aes_pkg::block_t [Messages-1:0]     iv, block, out_block;

  always_comb begin
    for (int unsigned m = 0; m < Messages; m++) begin
      valid[m]     = messages_i[m].valid;
      first[m]     = messages_i[m].first;
      slot[m]      = messages_i[m].slot[SlotWidth-1:0];
      iv[m]        = messages_i[m].iv;
      block[m]     = messages_i[m].block;
      results_o[m] = '{valid: out_valid[m], refused: out_refused[m], block: out_block[m]};
    end
  end

  // The key on its way.
  logic                    key_here, key_waits, key_waits_q, key_q, loading_q, loaded;
  logic                    takes_first, first_taken;  // of two blocks
  logic                    key_valid;                 // for the cipher
  logic [MessageWidth-1:0] key_chosen, key_message;
  logic [SlotWidth-1:0]    key_slot_q;
  aes_pkg::block_t         key_block_q;

  always_comb begin
    key_here   = 1'b0;
    key_chosen = '0;
    for (int unsigned m = 0; m < Messages; m++) begin
      if (messages_i[m].key) begin
        key_here   = 1'b1;
        key_chosen = MessageWidth'(m);
      end
    end
  end
  assign key_waits = key_here && !wipe_i && !loading_q && key_end_o == '0 && !takes_first && key_next_o == '0;
  assign loaded    = loading_q && slot_full_o[key_slot_q];

  // Messages lie apart, so their keys cross to the cipher's in two steps; the offer is a flip-flop: it goes to a whole key
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_waits_q <= 1'b0;
      key_q       <= 1'b0;
      key_message <= '0;
      key_slot_q  <= '0;
      key_block_q <= '0;
      loading_q   <= 1'b0;
      key_end_o   <= '0;
    end else begin
      key_waits_q            <= key_waits;
      key_q                  <= key_waits && key_waits_q && !(key_valid && key_ready_o);
      key_message            <= key_chosen;
      key_slot_q             <= slot[key_message];
      key_block_q            <= wipe_i ? '0 : block[key_message];  // SEC_CM: ERASE.WORKING_REGISTERS
      key_end_o              <= '0;
      key_end_o[key_message] <= loaded && !wipe_i;
      if (wipe_i || loaded) loading_q <= 1'b0;
      else if (key_valid && key_ready_o) loading_q <= 1'b1;
    end
  end

  // What the cipher is offered
  logic [KeyBits-1:0] key;
  if (KeyBits == 128) begin : gen_128
    assign takes_first = 1'b0;
    assign first_taken = 1'b1;
    assign key_next_o  = '0;
    assign key         = key_block_q;
  end else begin : gen_long
    logic            first_q;
    aes_pkg::block_t first_block_q;

    assign takes_first = key_q && !first_q;
    assign first_taken = first_q;
    assign key         = KeyBits'({key_block_q, first_block_q});
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        first_q       <= 1'b0;
        first_block_q <= '0;
        key_next_o    <= '0;
      end else begin
        key_next_o              <= '0;
        key_next_o[key_message] <= takes_first && !wipe_i;
        if (wipe_i || loaded) first_q <= 1'b0;
        else if (takes_first) first_q <= 1'b1;
        // SEC_CM: ERASE.WORKING_REGISTERS
        if (wipe_i || loaded) first_block_q <= '0;
        else if (takes_first) first_block_q <= key_block_q;
      end
    end
  end
  assign key_valid = key_q && first_taken;

  if (Decrypt) begin : gen_decrypt
    aes_cbc_decrypt #(
      .KeyBits (KeyBits),
      .Stages  (Stages),
      .KeySlots(KeySlots),
      .Table   (Table)
    ) u_cipher (
      .clk_i,
      .rst_ni,
      .zeroise_i,
      .empty_i,
      .key_valid_i  (key_valid),
      .key_ready_o,
      .key_slot_i   (key_slot_q),
      .key_i        (key),
      .slot_full_o,
      .in_valid_i   (valid[0]),
      .in_ready_o   (ready_o[0]),
      .in_first_i   (first[0]),
      .in_slot_i    (slot[0]),
      .in_iv_i      (iv[0]),
      .in_data_i    (block[0]),
      .out_valid_o  (out_valid[0]),
      .out_ready_i  (1'b1),
      .out_refused_o(out_refused[0]),
      .out_data_o   (out_block[0])
    );
  end else begin : gen_encrypt
    aes_cbc_encrypt #(
      .KeyBits (KeyBits),
      .Units   (Messages),
      .KeySlots(KeySlots),
      .Table   (Table)
    ) u_cipher (
      .clk_i,
      .rst_ni,
      .zeroise_i,
      .empty_i,
      .key_valid_i  (key_valid),
      .key_ready_o,
      .key_slot_i   (key_slot_q),
      .key_i        (key),
      .slot_full_o,
      .in_valid_i   (valid),
      .in_ready_o   (ready_o),
      .in_first_i   (first),
      .in_slot_i    (slot),
      .in_iv_i      (iv),
      .in_data_i    (block),
      .out_valid_o  (out_valid),
      .out_ready_i  ('1),
      .out_refused_o(out_refused),
      .out_data_o   (out_block)
    );
  end

endmodule
