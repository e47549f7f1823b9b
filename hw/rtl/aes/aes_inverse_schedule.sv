// SPDX-License-Identifier: Apache-2.0
// The round keys of the equivalent inverse cipher (FIPS 197 5.3.5), once for each key that is
// loaded: the schedule runs forward, and its keys are given out as it goes, the last of decryption first. Used by
// aes_cbc_decrypt.
//
//   cycle          0    1   ...  W+1   W+2   ...  W+11  W+12
//   start_i        K                                            of 128 bits; of 192 and 256 there are two and four more
//   busy_o         0    1   ...  1     1     ...  1     0       W: Wait cycles, in which blocks with the old key leave
//   write_o                            1     ...  1     1
//   round_o                            10    ...  1     0       of decryption: 0 is added before round 1
//
// Contract    start_i only while !busy_o, when the key register shows what its port does. With write_o in the cycle after the
//             last busy_o all keys are out. wipe_i ends the schedule and overwrites its registers.
// Parameters  KeyBits 128, 192 or 256. Wait at least 2. Table: see aes_sbox.
module aes_inverse_schedule #(
  parameter int unsigned KeyBits = 128,
  parameter int unsigned Wait    = 24,
  parameter bit          Table   = 1'b1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               wipe_i,
  input  logic               start_i,
  input  logic [KeyBits-1:0] key_i,
  output logic               busy_o,
  output logic               write_o,
  output logic [3:0]         round_o,
  output aes_pkg::block_t    key_o
);

  localparam int unsigned Rounds    = aes_pkg::rounds(KeyBits);
  localparam int unsigned Steps     = Wait + Rounds + 1;
  localparam int unsigned StepWidth = $clog2(Steps + 1);

  logic                 busy_q;
  logic [StepWidth-1:0] left_q;  // steps
  aes_pkg::block_t      key;
  logic                 expands_q, outer_q;  // the key goes on; it is that of an outer round

  assign busy_o  = busy_q;

  // While not busy, the key is whatever the port shows: what decides whether it is one does not go to all of it
  if (KeyBits == 128) begin : gen_128
    logic [7:0]      constant_q;
    aes_pkg::block_t key_q, base_q, next, next_base;
    assign key = key_q;

    aes_key_step #(
      .Table(Table)
    ) u_step (
      .key_i     (key_q),
      .base_i    (base_q),
      .constant_i(constant_q),
      .key_o     (next),
      .base_o    (next_base)
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        constant_q <= '0;
        key_q      <= '0;
        base_q     <= '0;
      end else if (wipe_i) begin
        key_q      <= '0;
        base_q     <= '0;
      end else if (!busy_q) begin
        constant_q <= 8'h02;
        key_q      <= key_i;
        base_q     <= aes_pkg::key_base(key_i, 8'h01);
      end else if (expands_q) begin
        constant_q <= aes_pkg::xtime(constant_q);
        key_q      <= next;
        base_q     <= next_base;
      end
    end
  end else begin : gen_long
    logic [KeyBits-1:0] key_q;
    logic [255:0]       pair;
    aes_pkg::block_t    unused_ahead;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) key_q <= '0;
      else if (wipe_i) key_q <= '0;
      else if (!busy_q) key_q <= key_i;
    end

    aes_long_first #(
      .KeyBits(KeyBits),
      .Table  (Table)
    ) u_first (
      .key_i (key_q),
      .pair_o(pair)
    );

    aes_long_schedule #(
      .KeyBits(KeyBits),
      .Table  (Table)
    ) u_schedule (
      .clk_i,
      .rst_ni,
      .advance_i(expands_q),
      .pair_i   (pair),
      .earlier_o(key),
      .key_o    (unused_ahead)
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q     <= 1'b0;
      left_q     <= '0;
      expands_q  <= 1'b0;
      outer_q    <= 1'b0;
      write_o    <= 1'b0;
      round_o    <= '0;
      key_o      <= '0;
    end else if (wipe_i) begin
      busy_q     <= 1'b0;
      left_q     <= '0;
      expands_q  <= 1'b0;
      write_o    <= 1'b0;
      key_o      <= '0;
    end else begin
      write_o <= expands_q;
      round_o <= 4'(left_q - StepWidth'(1));
      key_o   <= !expands_q ? '0 : outer_q ? key : aes_pkg::inverse_mix_columns(key);
      busy_q  <= start_i || (busy_q && left_q != StepWidth'(1));
      // Before the first key goes out, and with the last one
      if (left_q == StepWidth'(Rounds + 2)) expands_q <= busy_q;
      if (left_q == StepWidth'(1)) expands_q <= 1'b0;
      outer_q <= left_q == StepWidth'(Rounds + 2) || left_q == StepWidth'(2);
      if (busy_q) left_q <= left_q - StepWidth'(1);
      if (start_i) left_q <= StepWidth'(Steps);
    end
  end

endmodule
