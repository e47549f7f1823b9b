// SPDX-License-Identifier: Apache-2.0
// What each key slot holds, and whether a job may run: all that refuses a job before anything is computed.
//
//   cycle       0    1    2
//   job_i       J                 static from here on
//   bits_o           b            length of the modulus in the slot of the job
//   refuse_i         r            StatusEmptySlot for any job
//   refusal_o             S       StatusOk: none
//   accept_i              1       the job goes ahead: the slot that it is going to fill or to wipe is empty from now on
//   mark_i                     1  (any time later) the slot holds a modulus, or a key if key_i
//
// Contract    job_i holds from cycle 0 until it is refused or accepted, its slot until mark_i. accept_i comes where
//             refusal_o is StatusOk, from cycle 2 on; mark_i only behind the accept_i of a job that loads. clear_i: all
//             slots are empty, whatever else comes with it. bits_o means nothing where the slot is empty or does not
//             exist. Reset: all slots are empty (what the key memory holds is the caller's to overwrite).
module rsa_slots
  import garner_pkg::*;
#(
  parameter  int unsigned MaxBits    = ModulusMaxBits,
  parameter  int unsigned KeySlots   = 4,
  localparam int unsigned IndexWidth = KeySlots > 1 ? $clog2(KeySlots) : 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  /* verilator lint_off UNUSEDSIGNAL */ // scheme and tag
  input  job_t        job_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic        refuse_i,
  output logic [12:0] bits_o,
  output status_e     refusal_o,
  input  logic        accept_i,
  input  logic        mark_i,
  input  logic        key_i,
  input  logic        clear_i
);

  typedef enum logic [1:0] {HoldsNothing, HoldsModulus, HoldsKey} holds_e;
  holds_e holds_q[KeySlots];
  localparam int unsigned Step = $clog2(ModulusStepBits);
  logic [12:Step] bits_q[KeySlots];  // of the modulus, in steps
  logic [IndexWidth-1:0] index;
  assign index = job_i.slot[IndexWidth-1:0];

  // ---- One thing a flag
  logic bad_op_q, bad_slot_q, bad_bits_q, no_modulus_q, no_key_q;
  logic upper_none_q, upper_most_q, upper_over_q, lower_none_q;  // of exponent_bits, in steps and below
  logic load_q, zeroise_q, exponentiate_q, private_q;
  logic bad_exponent;
  assign bad_exponent = lower_none_q ? upper_none_q || upper_over_q : upper_most_q || upper_over_q;
  always_ff @(posedge clk_i) begin
    bits_o         <= {bits_q[index], Step'(0)};
    no_modulus_q   <= holds_q[index] == HoldsNothing;
    no_key_q       <= holds_q[index] != HoldsKey;  // SEC_CM: KEY.LOADED_WHOLE
    bad_op_q       <= !(job_i.op inside {OpLoadModulus, OpLoadKey, OpMultiply, OpExponentiate, OpPrivate, OpZeroise});
    bad_slot_q     <= 32'(job_i.slot) >= KeySlots;
    bad_bits_q     <= job_i.bits < 13'(ModulusMinBits) || 32'(job_i.bits) > MaxBits || job_i.bits[Step-1:0] != '0;
    upper_none_q   <= job_i.exponent_bits[12:Step] == '0;
    upper_most_q   <= 32'(job_i.exponent_bits[12:Step]) == MaxBits / ModulusStepBits;
    upper_over_q   <= 32'(job_i.exponent_bits[12:Step]) > MaxBits / ModulusStepBits;
    lower_none_q   <= job_i.exponent_bits[Step-1:0] == '0;
    load_q         <= job_i.op == OpLoadModulus || job_i.op == OpLoadKey;
    zeroise_q      <= job_i.op == OpZeroise;
    exponentiate_q <= job_i.op == OpExponentiate;
    private_q      <= job_i.op == OpPrivate;

    if (refuse_i) refusal_o <= StatusEmptySlot;  // SEC_CM: JOB.REFUSED_WHILE_ERASING
    else if (bad_op_q) refusal_o <= StatusBadOp;
    else if (bad_slot_q) refusal_o <= StatusBadSlot;
    else if (load_q) refusal_o <= bad_bits_q ? StatusBadLength : StatusOk;
    else if (zeroise_q) refusal_o <= StatusOk;
    else if (no_modulus_q || (private_q && no_key_q)) refusal_o <= StatusEmptySlot;
    else refusal_o <= exponentiate_q && bad_exponent ? StatusBadLength : StatusOk;
  end

  // ---- The slots
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < KeySlots; i++) begin
        holds_q[i] <= HoldsNothing;  // SEC_CM: ERASE.RESET
        bits_q[i]  <= '0;
      end
    end else begin
      if (accept_i && (load_q || zeroise_q)) holds_q[index] <= HoldsNothing;  // SEC_CM: KEY.LOADED_WHOLE
      if (accept_i && load_q) bits_q[index] <= job_i.bits[12:Step];
      if (mark_i) holds_q[index] <= key_i ? HoldsKey : HoldsModulus;  // SEC_CM: KEY.LOADED_WHOLE
      if (clear_i) for (int unsigned i = 0; i < KeySlots; i++) holds_q[i] <= HoldsNothing;  // SEC_CM: ERASE.CONTROL
    end
  end

endmodule
