// SPDX-License-Identifier: Apache-2.0
// rsa_slots: a job is refused exactly when garner_pkg says so, with that code, whatever happened to the slots before; a
// slot holds what was last marked in it, and nothing from the moment a job is let at it, or all are cleared.
module rsa_slots_formal
  import garner_pkg::*;
(
  input logic clk_i,
  input job_t job_i,
  input logic refuse_i,
  input logic accept_i,
  input logic mark_i,
  input logic key_i,
  input logic clear_i
);

  localparam int unsigned MaxBits  = 1024;
  localparam int unsigned KeySlots = 2;

  logic        rst_ni;
  logic [12:0] bits;
  status_e     refusal;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  rsa_slots #(
    .MaxBits (MaxBits),
    .KeySlots(KeySlots)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .job_i,
    .refuse_i,
    .bits_o   (bits),
    .refusal_o(refusal),
    .accept_i,
    .mark_i,
    .key_i,
    .clear_i
  );

  // What the slots hold
  logic [KeySlots-1:0] modulus_q, key_q;  // a modulus at least; a key
  logic [12:0]         bits_q[KeySlots];
  job_t                job_q;
  logic [1:0]          age_q;             // cycles since the job or the slots changed, up to three
  logic                accepted_q;        // the job that stands here was let at its slot
  logic                refuse_q;
  logic                loads, slot;

  assign loads = job_i.op == OpLoadModulus || job_i.op == OpLoadKey;
  assign slot  = job_i.slot[0];

  always_ff @(posedge clk_i) begin
    job_q    <= job_i;
    refuse_q <= refuse_i;
    if (!rst_ni) begin
      modulus_q  <= '0;
      key_q      <= '0;
      bits_q     <= '{default: '0};
      age_q      <= '0;
      accepted_q <= 1'b0;
    end else begin
      if (accept_i || mark_i || clear_i) age_q <= '0;
      else if (job_i != job_q) age_q <= 2'd1;
      else if (age_q != 2'd3) age_q <= age_q + 1'b1;
      accepted_q <= (accepted_q && job_i == job_q) || accept_i;
      if (accept_i && (loads || job_i.op == OpZeroise)) {modulus_q[slot], key_q[slot]} <= '0;
      if (accept_i && loads) bits_q[slot] <= job_i.bits;
      if (mark_i) {modulus_q[slot], key_q[slot]} <= {1'b1, key_i};
      if (clear_i) {modulus_q, key_q} <= '0;
    end
  end

  status_e due;
  always_comb begin
    due = StatusOk;
    if (refuse_q) due = StatusEmptySlot;
    else if (!(job_i.op inside {OpLoadModulus, OpLoadKey, OpMultiply, OpExponentiate, OpPrivate, OpZeroise})) due = StatusBadOp;
    else if (job_i.slot >= 8'(KeySlots)) due = StatusBadSlot;
    else if (loads) begin
      if (!(job_i.bits inside {[13'd512:13'(MaxBits)]}) || job_i.bits % 13'd64 != '0) due = StatusBadLength;
    end else if (job_i.op != OpZeroise) begin
      if (!modulus_q[slot]) due = StatusEmptySlot;
      else if (job_i.op == OpPrivate && !key_q[slot]) due = StatusEmptySlot;
      else if (job_i.op == OpExponentiate && !(job_i.exponent_bits inside {[13'd1:13'(MaxBits)]})) due = StatusBadLength;
    end
  end

  always_comb begin
    if (rst_ni) begin
      // as rsa_core does: a job is let in when its refusal is known to be none, and marks its slot later
      if (accept_i) assume (age_q >= 2'd2 && job_i == job_q && refusal == StatusOk && !accepted_q);
      if (mark_i) assume (accepted_q && job_i == job_q && loads && !accept_i);

      assert ((key_q & ~modulus_q) == '0);
      if (age_q >= 2'd2 && job_i == job_q) begin
        assert (refusal == due);
        if (due == StatusOk && job_i.op inside {OpMultiply, OpExponentiate, OpPrivate}) assert (bits == bits_q[slot] && bits != '0);
        // that it happens: the key in slot 1 is used while slot 0 holds a modulus; refused, as it was overwritten or cleared
        cover (due == StatusOk && job_i.op == OpPrivate && slot && modulus_q[0] && !key_q[0] && bits_q[0] != bits_q[1]);
        cover (due == StatusEmptySlot && job_i.op == OpPrivate && slot && modulus_q[1]);
        cover (due == StatusEmptySlot && job_i.op == OpPrivate && bits_q[slot] != '0 && !modulus_q[slot] && !refuse_q);
      end
    end
  end

endmodule
