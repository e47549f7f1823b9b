// SPDX-License-Identifier: Apache-2.0
// The dispatcher: one stream of jobs onto many cores, and their answers back onto one stream, in the order they end.
//
//   cycle       0    1    2    3    4    5    6    7    ...
//   job         J                                    taken
//   choose           C                               a free core; an operation that changes keys waits for all cores
//   core                  J                          offered
//   operands                   d         d           to all cores when the job is for all; a word every other cycle
//
//   response    R                                    the cores are asked in turn, one a cycle
//   answer                     R
//   result                               d         d      to its end, a word every other cycle
//
// A job for all cores (`is_broadcast`) is a barrier: those before it have ended, those behind it see its effect. Its
// answer is the worst status of all cores' answers.
//
// Contract    Every job taken is answered exactly once. A core is offered a job only when it has answered the one before
//             and all of its result is taken. Operands follow their job and end with `last` (none at all where
//             `has_operands` says so). Cores may answer before they have taken all operands, and take all even so.
// Parameters  Cores: 1 to 32.
module dispatcher
  import garner_pkg::*;
  import bus_pkg::*;
#(
  parameter int unsigned Cores = 2
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  to_dispatcher_t         jobs_i,
  output from_dispatcher_t       jobs_o,
  output logic                   idle_o,    // no job is here

  output to_core_t [Cores-1:0]   cores_o,
  input  from_core_t [Cores-1:0] cores_i
);

  if (Cores < 1 || Cores > 32) begin : gen_bad_cores
    $fatal(1, "dispatcher: Cores must be 1 to 32");
  end

  localparam int unsigned CoreWidth = (Cores > 1) ? $clog2(Cores) : 1;

  // The links of the cores. All see the same job and the same operand; valid says whom they are for.
  logic [Cores-1:0] core_job_valid, core_job_ready, core_operand_valid, core_operand_ready;
  logic [Cores-1:0] core_response_valid, core_response_ready, core_result_valid, core_result_ready;
  word_t            operand;

  // Jobs out.
  typedef enum logic [1:0] {
    Take,
    Choose,
    Offer,
    Operands
  } job_state_e;

  job_state_e           job_state_q;
  job_t                 job_q;
  logic                 job_source_q, for_all_q, has_operands_q, job_has_result_q;
  logic [Cores-1:0]     target_q;      // the cores the job is for
  logic [CoreWidth-1:0] target_index_q;
  logic [Cores-1:0]     pending_q;     // of them, those that have not yet taken it
  logic [Cores-1:0]     taken_q;       // of them, those that have the operand word on offer
  logic [Cores-1:0]     busy_q;        // cores with a job not yet wholly answered
  logic [Cores-1:0]     source_q, has_result_q;
  logic                 all_q;         // a job for all cores is under way
  logic [Cores-1:0]     free_q;        // as of the cycle before, as is idle_q: only a start makes a core busy
  logic                 idle_q;        // no core is busy
  logic [Cores-1:0]     target;
  logic [CoreWidth-1:0] target_index;
  logic                 start, offered, operand_end, operand_valid, operand_taken;
  logic [31:0]          now_q;
  logic [31:0]          start_q[2**CoreWidth];  // when the core's job was given to it
  logic [31:0]          begun_q;                // when that of the core that is asked was

  for (genvar i = 0; i < Cores; i++) begin : gen_link
    assign cores_o[i] = '{job_valid: core_job_valid[i], job: job_q, operand_valid: core_operand_valid[i],
                          operand: operand, response_ready: core_response_ready[i], result_ready: core_result_ready[i]};
    assign core_job_ready[i]      = cores_i[i].job_ready;
    assign core_operand_ready[i]  = cores_i[i].operand_ready;
    assign core_response_valid[i] = cores_i[i].response_valid;
    assign core_result_valid[i]   = cores_i[i].result_valid;
  end

  // The lowest free core.
  always_comb begin
    target       = '0;
    target_index = '0;
    for (int i = int'(Cores) - 1; i >= 0; i--) begin
      if (free_q[i]) begin
        target       = '0;
        target[i]    = 1'b1;
        target_index = CoreWidth'(i);
      end
    end
    if (for_all_q) begin
      target       = '1;
      target_index = '0;
    end
  end

  assign start   = job_state_q == Choose && (for_all_q ? idle_q : free_q != '0);  // SEC_CM: JOB.BARRIER
  assign offered = job_state_q == Offer && (pending_q & ~core_job_ready) == '0;

  assign jobs_o.job_ready = job_state_q == Take;
  assign core_job_valid   = (job_state_q == Offer) ? pending_q : '0;

  stage #(
    .Width($bits(word_t))
  ) u_operand (
    .clk_i,
    .rst_ni,
    .in_valid_i (jobs_i.operand_valid),
    .in_ready_o (jobs_o.operand_ready),
    .in_data_i  (jobs_i.operand),
    .out_valid_o(operand_valid),
    .out_ready_i(operand_taken),
    .out_data_o (operand)
  );

  assign core_operand_valid = (job_state_q == Operands && operand_valid) ? target_q & ~taken_q : '0;
  assign operand_taken        = job_state_q == Operands && (target_q & ~taken_q & ~core_operand_ready) == '0;
  assign operand_end          = operand_valid && operand_taken && operand.last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      job_state_q    <= Take;
      target_q       <= '0;
      target_index_q <= '0;
      pending_q      <= '0;
      taken_q        <= '0;
      source_q       <= '0;
      has_result_q   <= '0;
    end else begin
      unique case (job_state_q)
        Take: if (jobs_i.job_valid) job_state_q <= Choose;
        Choose: begin
          target_q       <= target;
          target_index_q <= target_index;
          pending_q      <= target;
          if (start) job_state_q <= Offer;
        end
        Offer: begin
          pending_q <= pending_q & ~core_job_ready;
          for (int unsigned i = 0; i < Cores; i++) begin
            if (target_q[i]) begin
              source_q[i]     <= job_source_q;
              has_result_q[i] <= job_has_result_q;
            end
          end
          if (offered) job_state_q <= has_operands_q ? Operands : Take;
        end
        default: begin
          if (operand_valid) taken_q <= operand_taken ? '0 : taken_q | (target_q & core_operand_ready);
          if (operand_end) job_state_q <= Take;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (job_state_q == Take) begin
      job_q            <= jobs_i.job;
      job_source_q     <= jobs_i.source;
      for_all_q        <= is_broadcast(jobs_i.job.op);
      has_operands_q   <= has_operands(jobs_i.job.op);
      job_has_result_q <= has_result(jobs_i.job.op);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) now_q <= '0;
    else now_q <= now_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (job_state_q == Offer) start_q[target_index_q] <= now_q;
  end

  // Answers in: the cores are asked in turn. Of a job for all, each response makes the answer worse or leaves it.
  typedef enum logic [1:0] {
    Listen,
    Weigh,   // the response that was taken
    Answer,
    Result
  } answer_state_e;

  answer_state_e        answer_state_q;
  answer_t              answer_q;
  response_t            response_q;
  logic [CoreWidth-1:0] core_q;         // who is asked, or whose answer it is
  logic [Cores-1:0]     core_bit_q;     // the same
  logic [Cores-1:0]     missing_q;      // of a job for all: who has not answered
  logic                 responds, done, next;
  logic [Cores-1:0]     done_cores_q;
  logic [Cores-1:0]     waiting_q;      // cores that have a response
  logic                 out_valid, out_ready;
  logic                 result_end_q;   // the last word of a result has left

  // Of the cycle before: a response stays until it is taken, and the cycles until the next question are more than one.
  assign responds              = answer_state_q == Listen && (waiting_q & core_bit_q) != '0;
  assign core_response_ready = responds ? core_bit_q : '0;
  assign next                  = answer_state_q == Listen && !responds;

  assign jobs_o.answer_valid = answer_state_q == Answer;
  assign jobs_o.answer       = answer_q;

  assign out_valid           = answer_state_q == Result && (core_result_valid & core_bit_q) != '0;
  assign core_result_ready = (answer_state_q == Result && out_ready) ? core_bit_q : '0;

  stage #(
    .Width($bits(word_t))
  ) u_result (
    .clk_i,
    .rst_ni,
    .in_valid_i (out_valid),
    .in_ready_o (out_ready),
    .in_data_i  (cores_i[core_q].result),
    .out_valid_o(jobs_o.result_valid),
    .out_ready_i(jobs_i.result_ready),
    .out_data_o (jobs_o.result)
  );

  // A result has ended when its last word has left, and the next answer must not overtake it.
  assign done = (answer_state_q == Answer && jobs_i.answer_ready && !answer_q.has_result) ||
                result_end_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      answer_state_q <= Listen;
      answer_q       <= '{status: StatusOk, default: '0};
      response_q     <= '{status: StatusOk, default: '0};
      core_q         <= '0;
      core_bit_q     <= Cores'(1);
      missing_q      <= '0;
      all_q          <= 1'b0;
      busy_q         <= '0;
      free_q         <= '0;
      idle_q         <= 1'b0;
      done_cores_q   <= '0;
      waiting_q      <= '0;
      result_end_q   <= 1'b0;
    end else begin
      result_end_q <= jobs_o.result_valid && jobs_i.result_ready && jobs_o.result.last;
      waiting_q    <= core_response_valid;
      done_cores_q <= !done ? '0 : all_q ? '1 : core_bit_q;
      busy_q       <= (start ? busy_q | target : busy_q) & ~done_cores_q;
      free_q       <= ~busy_q & core_job_ready;
      idle_q       <= busy_q == '0;
      if (start && for_all_q) begin
        all_q     <= 1'b1;
        missing_q <= '1;
      end else if (done) begin
        all_q <= 1'b0;
      end
      if (next) begin
        core_q     <= (core_bit_q[Cores-1]) ? '0 : core_q + 1'b1;
        core_bit_q <= Cores'({core_bit_q, core_bit_q[Cores-1]});
      end
      unique case (answer_state_q)
        Listen: begin
          response_q <= cores_i[core_q].response;
          if (responds) begin
            answer_state_q <= Weigh;
            missing_q      <= missing_q & ~core_bit_q;
          end
        end
        Weigh: begin
          answer_state_q      <= (all_q && missing_q != '0) ? Listen : Answer;
          if (response_q.status > answer_q.status) answer_q.status <= response_q.status;
          answer_q.tag        <= response_q.tag;  // SEC_CM: JOB.OWN_ANSWER
          answer_q.source     <= |(source_q & core_bit_q);  // SEC_CM: JOB.OWN_ANSWER
          answer_q.has_result <= |(has_result_q & core_bit_q) && response_q.status == StatusOk;
          answer_q.cycles     <= now_q - begun_q;
        end
        Answer: if (jobs_i.answer_ready) begin
          answer_state_q  <= answer_q.has_result ? Result : Listen;
          answer_q.status <= StatusOk;
        end
        default: if (result_end_q) answer_state_q <= Listen;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    begun_q <= start_q[all_q ? '0 : core_q];
  end

  assign idle_o = job_state_q == Take && busy_q == '0;

endmodule
