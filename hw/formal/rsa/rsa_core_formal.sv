// SPDX-License-Identifier: Apache-2.0
// rsa_core: from the cycle in which a job is taken to the one in which it is answered nothing of it changes: the slot whose
// addresses rsa_decode gives, the slot that rsa_slots marks, the tag of the answer. The slot is another one only while all
// slots are emptied, and then no job is let in.
//
// The arithmetic, the streams, the sizes and the program are black boxes here, which do anything.
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

  localparam logic [3:0] StIdle = 4'd0;
  localparam logic [3:0] StNext = 4'd6;
  localparam logic [3:0] StExecute = 4'd9;

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
        if (!job_here_q && u_core.state_q == StIdle) at_work_q <= 1'b0;
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      // the program: it ends behind its answer, and between them it only gives the result; that of zeroise neither checks, marks nor answers anything
      // (rsa_decode_formal)
      if (u_core.state_q == StNext && (u_core.washing_q || u_core.responded_q)) begin
        assume (u_core.instruction.check == CheckNone);
        assume (u_core.instruction.kind inside {KindPass, KindMultiply, KindMode, KindEnd});
      end
      if (u_core.state_q == StNext && !u_core.washing_q && !u_core.responded_q) assume (u_core.instruction.kind != KindEnd);
      if (u_core.instruction.kind == KindRespond) assume (u_core.instruction.check == CheckNone);

      if (job_valid_i && job_ready) assert (!job_here_q && u_core.state_q == StIdle);
      if (response_valid) assert (job_here_q && response.tag == job_q.tag);
      if (at_work_q) begin
        assert ({u_core.job_q.op, u_core.job_q.slot, u_core.job_q.tag} == {job_q.op, job_q.slot, job_q.tag});
        assert (u_core.washing_q || u_core.u_decode.slot_i == job_q.slot[1:0]);
      end
      // a pass is begun for a job, or to empty everything; a slot is marked for a job that was let in
      if (u_core.state_q == StExecute) assert (at_work_q || u_core.washing_q);
      if (u_core.u_slots.mark_i || u_core.u_slots.accept_i) assert (at_work_q && !u_core.washing_q);
      assert (u_core.u_slots.job_i.slot == u_core.job_q.slot);

      // that it happens: a job that loads a key is answered; one is taken behind it
      cover (response_valid && response.tag != '0 && response.status == StatusOk);
      cover (job_here_q && job_q.op == OpPrivate && u_core.state_q == StExecute);
    end
  end

endmodule
