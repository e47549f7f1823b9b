// SPDX-License-Identifier: Apache-2.0
// rsa_core: from the cycle in which a job is taken to the one in which it is answered nothing of it changes: the slot whose
// addresses rsa_decode gives, the slot that rsa_slots marks, the tag of the answer. The slot is another one only while all
// slots are emptied, and then no job is let in. And what the modules assert themselves (GARNER_ASSERT): a wipe takes
// and answers no job, one unit works at a time, nothing is sent before the answer.
//
// The arithmetic, the streams, the sizes and the program are black boxes here. They do anything, but that they are
// busy only when they have been started, and that programs are as rsa_decode_formal shows them.
module rsa_core_formal
  import garner_pkg::*;
  import rsa_pkg::*;
(
  input logic        clk_i,
  input logic        job_valid_i,
  input job_t        job_i,
  input logic        in_valid_i,
  input logic [31:0] in_data_i,
  input logic        in_last_i,
  input logic        response_ready_i,
  input logic        out_ready_i,
  input logic        zeroise_i
);

  logic        rst_ni;
  logic        job_ready, in_ready, response_valid, out_valid, out_last, busy;
  logic [31:0] out_data;
  response_t   response;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  rsa_core #(
    .Rows        (8),
    .MaxBits     (1024),
    .KeySlots    (4),
    .OperandWords(4096)
  ) u_core (
    .clk_i, .rst_ni, .job_valid_i, .job_ready_o(job_ready), .job_i, .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .in_last_i, .response_valid_o(response_valid), .response_ready_i, .response_o(response), .out_valid_o(out_valid),
    .out_ready_i, .out_data_o(out_data), .out_last_o(out_last), .zeroise_i, .busy_o(busy)
  );

  // rsa_intake and rsa_sequencer
  localparam logic [3:0] StClosed   = 4'd0;
  localparam logic [3:0] StOpen     = 4'd1;
  localparam logic [3:0] StDecode   = 4'd2;
  localparam logic [3:0] StDrain    = 4'd8;
  localparam logic [3:0] StErase    = 4'd10;
  localparam logic [3:0] StStopped  = 4'd12;
  localparam logic [3:0] StWipeOwing = 4'd14;
  localparam logic [3:0] StNext     = 4'd5;
  localparam logic [3:0] StExecute  = 4'd8;

  logic idle;  // no job is here, or it is at its end
  assign idle = u_core.u_intake.state_q inside {StClosed, StOpen};

  logic job_here_q;   // a job was taken, and is not answered
  logic at_work_q;    // or is answered, and its program not yet at its end
  job_t job_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      job_here_q <= 1'b0;
      at_work_q  <= 1'b0;
    end else begin
      if (job_valid_i && job_ready) begin
        job_here_q <= 1'b1;
        at_work_q  <= 1'b1;
        job_q      <= job_i;
      end else begin
        if (response_valid && response_ready_i) job_here_q <= 1'b0;
        if (!job_here_q && idle) at_work_q <= 1'b0;
      end
    end
  end

  // A job that was taken is looked at, whatever comes beside it; an edge of zeroise_i is followed by a wipe of its own
  logic taken_q, owed_q;
  always_ff @(posedge clk_i) begin
    taken_q <= rst_ni && job_valid_i && job_ready;
    if (!rst_ni) owed_q <= 1'b0;
    else if (u_core.u_wipe.rises) owed_q <= 1'b1;
    else if (u_core.wipe_begin) owed_q <= 1'b0;
  end

  // The units that are black boxes: they may be busy from the cycle after they are started
  logic alu_may_q, exponent_may_q, packer_may_q, mont_may_q;
  always_ff @(posedge clk_i) begin
    alu_may_q      <= rst_ni && (u_core.alu_start || (alu_may_q && u_core.alu_busy));
    exponent_may_q <= rst_ni && (u_core.exponent_start || (exponent_may_q && u_core.exponent_busy));
    packer_may_q   <= rst_ni && (u_core.out_begin || (packer_may_q && u_core.packer_busy));
    mont_may_q     <= !rst_ni || (u_core.op_valid && u_core.op_ready[u_core.op.ctx])
                      || (mont_may_q && u_core.mont_busy);
  end

  always_comb begin
    if (rst_ni) begin
      assume (!u_core.alu_busy || alu_may_q);
      assume (!u_core.exponent_busy || exponent_may_q);
      assume (!u_core.exponent_op_valid || u_core.exponent_busy);
      assume (!u_core.packer_busy || packer_may_q);
      assume (!u_core.mont_busy || mont_may_q);
      assume (!u_core.host_write_enable || (u_core.alu_busy && u_core.instruction.d.space inside {SpaceOperand,
                                                                                                  SpaceModulus}));
    end
  end

  // The programs (rsa_decode_formal)
  instruction_t instruction;
  assign instruction = u_core.u_sequencer.instruction;
  always_comb begin
    if (rst_ni) begin
      // a program ends behind its answer, and between them it only gives the result; that of a wipe neither checks,
      // marks nor answers anything, and that which erases a slot only answers
      if (u_core.u_sequencer.state_q == StNext) begin
        if (u_core.wiping || u_core.announced) begin
          assume (instruction.check == CheckNone);
          assume (instruction.kind inside {KindPass, KindMultiply, KindMode, KindEnd});
        end else begin
          assume (instruction.kind != KindEnd);
          assume (instruction.kind != KindMark || job_q.op inside {OpLoadModulus, OpLoadKey});
          assume (instruction.kind != KindPass || instruction.d.space != SpaceStream);
        end
        if (u_core.announced && !has_result(job_q.op)) assume (instruction.d.space != SpaceStream);
        if (u_core.u_intake.state_q == StErase) begin
          assume (instruction.check == CheckNone);
          assume (instruction.kind inside {KindPass, KindMultiply, KindMode, KindRespond});
        end
      end
      if (instruction.kind == KindRespond) assume (instruction.check == CheckNone);
    end
  end

  always_comb begin
    if (rst_ni) begin
      if (job_valid_i && job_ready) assert (!job_here_q && idle);
      if (taken_q) assert (u_core.u_intake.state_q == StDecode);
      if (owed_q) assert (u_core.wipe_asked);
      // a job that is refused or stopped is not answered with StatusOk
      if (u_core.u_intake.state_q inside {[StDrain:StErase], StStopped, StWipeOwing}) assert (u_core.u_intake.status_q != StatusOk);
      if (response_valid) assert (job_here_q && response.tag == job_q.tag);
      if (at_work_q) begin
        assert ({u_core.job.op, u_core.job.slot, u_core.job.tag} == {job_q.op, job_q.slot, job_q.tag});
        assert (u_core.wiping || u_core.u_decode.slot_i == job_q.slot[1:0]);
      end
      // a pass is begun for a job, or to empty everything; a slot is marked for a job that was let in
      if (u_core.u_sequencer.state_q == StExecute) assert (at_work_q || u_core.wiping);
      if (u_core.u_intake.u_slots.mark_i || u_core.u_intake.u_slots.accept_i) assert (at_work_q && !u_core.wiping);
      assert (u_core.u_intake.u_slots.job_i.slot == u_core.job.slot);

      // that it happens: a job that loads a key is answered; one is taken behind it; a wipe is
      // over, for which a job was stopped
      cover (response_valid && response.tag != '0 && response.status == StatusOk);
      cover (job_here_q && job_q.op == OpPrivate && u_core.u_sequencer.state_q == StExecute);
      cover (u_core.wiping && u_core.done && job_here_q);
    end
  end

endmodule
