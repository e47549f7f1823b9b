// SPDX-License-Identifier: Apache-2.0
// dispatcher: every job taken is answered exactly once; a core is offered a job only when it has answered the one before
// and its result is taken; a job for all cores is answered when all have answered, with the worst status; what is offered
// stays until it is taken. Of operands it says nothing: that they reach the cores their job is for, once and in order, is
// tested in simulation (hw/tb/top).
module dispatcher_formal
  import garner_pkg::*;
  import bus_pkg::*;
#(
  parameter int unsigned Cores      = 2,
  parameter bit          Accounting = 1'b1  // the assertions that count jobs and answers
) (
  input logic                   clk_i,
  input logic                   job_valid_i,
  input job_t                   job_i,
  input logic                   source_i,
  input logic                   operand_valid_i,
  input logic                   operand_last_i,
  input logic                   answer_ready_i,
  input logic                   result_ready_i,
  input logic [Cores-1:0]       core_job_ready_i,
  input logic [Cores-1:0]       core_operand_ready_i,
  input logic [Cores-1:0]       core_response_valid_i,
  input status_e [Cores-1:0]    core_status_i,
  input logic [Cores-1:0]       core_result_valid_i,
  input logic [Cores-1:0]       core_result_last_i
);

  logic                   rst_ni;
  logic                   job_ready, operand_ready, answer_valid, result_valid, result_last, idle, core_operand_last;
  answer_t                answer;
  logic [31:0]            result_data, core_operand_data;
  job_t                   core_job;
  logic [Cores-1:0]       core_job_valid, core_operand_valid, core_response_ready, core_result_ready;
  response_t [Cores-1:0]  core_response;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  to_dispatcher_t         jobs_in;
  from_dispatcher_t       jobs_out;
  to_core_t [Cores-1:0]   cores_out;
  from_core_t [Cores-1:0] cores_in;
  assign jobs_in = '{job_valid: job_valid_i, job: job_i, source: source_i, operand_valid: operand_valid_i,
                     operand: '{last: operand_last_i, data: 32'd0}, answer_ready: answer_ready_i,
                     result_ready: result_ready_i};
  assign {job_ready, operand_ready, answer_valid, answer, result_valid, result_last, result_data} = jobs_out;
  for (genvar i = 0; i < Cores; i++) begin : gen_core
    assign cores_in[i] = '{job_ready: core_job_ready_i[i], operand_ready: core_operand_ready_i[i],
                           response_valid: core_response_valid_i[i], response: core_response[i],
                           result_valid: core_result_valid_i[i],
                           result: '{last: core_result_last_i[i], data: 32'd0}};
    assign core_job_valid[i]      = cores_out[i].job_valid;
    assign core_operand_valid[i]  = cores_out[i].operand_valid;
    assign core_response_ready[i] = cores_out[i].response_ready;
    assign core_result_ready[i]   = cores_out[i].result_ready;
  end
  assign core_job          = cores_out[0].job;  // all see the same: dispatcher_routing_formal
  assign core_operand_last = cores_out[0].operand.last;
  assign core_operand_data = cores_out[0].operand.data;

  dispatcher #(
    .Cores(Cores)
  ) u_dispatcher (
    .clk_i,
    .rst_ni,
    .jobs_i (jobs_in),
    .jobs_o (jobs_out),
    .idle_o (idle),
    .cores_o(cores_out),
    .cores_i(cores_in)
  );

  // Cores that keep the contract: they answer a job they have, once, with its tag; result words follow a good answer of a
  // job that has any, to the last. Ready they may be at any time, as core_link is when its core is not.
  logic [Cores-1:0] has_job_q, writes_q, reads_q, response_waits_q;
  job_t [Cores-1:0] job_q;
  status_e [Cores-1:0] status_q;
  logic [Cores-1:0] answered_all_q;     // of a job for all
  status_e          worst_q;

  logic [3:0] taken_q, answered_q;      // jobs
  logic       expects_operands_q, job_waits_q, answer_waits_q, result_expected_q, all_q;
  job_t       waiting_job_q;
  answer_t    answer_q;
  logic       waiting_source_q;

  always_comb begin
    for (int unsigned i = 0; i < Cores; i++) core_response[i] = '{status: core_status_i[i], tag: job_q[i].tag};
  end

  status_e worst;
  always_comb begin
    worst = worst_q;
    for (int unsigned i = 0; i < Cores; i++) begin
      if (core_response_valid_i[i] && core_response_ready[i] && is_broadcast(job_q[i].op) && core_status_i[i] > worst) begin
        worst = core_status_i[i];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    job_waits_q      <= rst_ni && job_valid_i && !job_ready;
    waiting_job_q    <= job_i;
    waiting_source_q <= source_i;
    answer_waits_q   <= rst_ni && answer_valid && !answer_ready_i;
    answer_q         <= answer;
    status_q         <= core_status_i;
    response_waits_q <= rst_ni ? core_response_valid_i & ~core_response_ready : '0;
    if (!rst_ni) begin
      has_job_q          <= '0;
      writes_q           <= '0;
      reads_q            <= '0;
      taken_q            <= '0;
      answered_q         <= '0;
      expects_operands_q <= 1'b0;
      result_expected_q  <= 1'b0;
      all_q              <= 1'b0;
      answered_all_q     <= '0;
      worst_q            <= StatusOk;
    end else begin
      for (int unsigned i = 0; i < Cores; i++) begin
        if (core_job_valid[i] && core_job_ready_i[i]) begin
          has_job_q[i] <= 1'b1;
          job_q[i]     <= cores_out[i].job;
          reads_q[i]   <= has_operands(core_job.op);
        end
        if (core_operand_valid[i] && core_operand_ready_i[i] && core_operand_last) reads_q[i] <= 1'b0;
        if (core_response_valid_i[i] && core_response_ready[i]) begin
          has_job_q[i] <= 1'b0;
          writes_q[i]  <= has_result(job_q[i].op) && core_status_i[i] == StatusOk;
          if (is_broadcast(job_q[i].op)) begin
            answered_all_q[i] <= 1'b1;
          end
        end
        if (core_result_valid_i[i] && core_result_ready[i] && core_result_last_i[i]) writes_q[i] <= 1'b0;
      end
      if (job_valid_i && job_ready) begin
        taken_q            <= taken_q + 1'b1;
        expects_operands_q <= has_operands(job_i.op);
      end
      if (operand_valid_i && operand_ready && operand_last_i) expects_operands_q <= 1'b0;
      if (answer_valid && answer_ready_i) begin
        answered_q        <= answered_q + 1'b1;
        result_expected_q <= answer.has_result;
      end
      if (result_valid && result_ready_i && result_last) result_expected_q <= 1'b0;
      // a job for all begins with the first core that is offered it
      if (core_job_valid != '0 && is_broadcast(core_job.op) && !all_q && !(|answered_all_q)) all_q <= 1'b1;
      if (answer_valid && answer_ready_i) begin
        all_q          <= 1'b0;
        answered_all_q <= '0;
      end
      worst_q <= worst;
      if (answer_valid && answer_ready_i) worst_q <= StatusOk;
    end
  end

  always_comb begin
    if (rst_ni) begin
      if (job_waits_q) assume (job_valid_i && job_i == waiting_job_q && source_i == waiting_source_q);
      if (expects_operands_q) assume (!job_valid_i);       // as job_mux does: a job, its operands, the next job
      else assume (!operand_valid_i);
      for (int unsigned i = 0; i < Cores; i++) begin
        if (core_response_valid_i[i]) assume (has_job_q[i]);
        if (core_result_valid_i[i]) assume (writes_q[i]);
        if (response_waits_q[i]) assume (core_response_valid_i[i] && core_status_i[i] == status_q[i]);
      end

      // what the dispatcher keeps of the cores, which makes the rest inductive
      assert (((has_job_q | writes_q) & ~u_dispatcher.busy_q) == '0);
      assert (u_dispatcher.core_bit_q == Cores'(1) << u_dispatcher.core_q);
      if (u_dispatcher.job_state_q == 2'd1) begin  // Choose
        assert ((u_dispatcher.free_q & u_dispatcher.busy_q) == '0);
        assert (!u_dispatcher.idle_q || u_dispatcher.busy_q == '0);
      end
      assert ((u_dispatcher.done_cores_q & (has_job_q | writes_q)) == '0);
      assert ((u_dispatcher.done_cores_q & ~u_dispatcher.busy_q) == '0);

      // no core is offered a job while it has one
      assert ((core_job_valid & (has_job_q | writes_q)) == '0);
      // an offered answer stays
      if (answer_waits_q) assert (answer_valid && answer == answer_q);
      if (Accounting) begin
        // never more answers than jobs; none left when idle; results only where announced
        assert (4'(taken_q - answered_q) <= 4'(Cores + 1));  // one in each core, one that waits for a core
        if (answer_valid) assert (answered_q != taken_q);
        if (idle) assert (taken_q == answered_q && has_job_q == '0 && writes_q == '0);
        if (result_valid) assert (result_expected_q);
        if (answer_valid) assert (!result_expected_q);
        // a job for all
        if (all_q && answer_valid) begin
          assert (answered_all_q == '1);
          assert (answer.status == worst_q && !answer.has_result);
        end
        if (all_q) assert (core_job_valid == '0 || is_broadcast(core_job.op));
        // what the assertions speak of does happen
        cover (all_q && answer_valid && worst_q != StatusOk);
        cover (answered_q == 4'd2 && result_valid && result_last && (has_job_q | writes_q) != '0);
      end
    end
  end

endmodule
