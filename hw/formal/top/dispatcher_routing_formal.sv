// SPDX-License-Identifier: Apache-2.0
// dispatcher: no two jobs mix. A core is offered the job that was taken last, whole; every word of that job's operands
// reaches each core that has the job, once and in order, and no other core; an answer has the tag, the source, the worst
// status and the cycles of the job whose cores responded, and a result is that core's words, in order, and no others.
//
// Without bound, for all jobs, operands, results and times. How many answers there are: dispatcher_formal.
module dispatcher_routing_formal
  import garner_pkg::*;
  import bus_pkg::*;
#(
  parameter int unsigned Cores = 2
) (
  input logic                   clk_i,
  input logic                   job_valid_i,
  input job_t                   job_i,
  input logic                   source_i,
  input logic                   operand_valid_i,
  input logic [31:0]            operand_data_i,
  input logic                   operand_last_i,
  input logic                   answer_ready_i,
  input logic                   result_ready_i,
  input logic [Cores-1:0]       core_job_ready_i,
  input logic [Cores-1:0]       core_operand_ready_i,
  input logic [Cores-1:0]       core_response_valid_i,
  input status_e [Cores-1:0]    core_status_i,
  input logic [Cores-1:0]       core_result_valid_i,
  input logic [Cores-1:0][31:0] core_result_data_i,
  input logic [Cores-1:0]       core_result_last_i
);

  localparam int unsigned CoreWidth = (Cores > 1) ? $clog2(Cores) : 1;

  logic                  rst_ni;
  logic                  job_ready, operand_ready, answer_valid, result_valid, result_last, idle, core_operand_last;
  answer_t               answer;
  logic [31:0]           result_data, core_operand_data;
  job_t                  core_job;
  logic [Cores-1:0]      core_job_valid, core_operand_valid, core_response_ready, core_result_ready;
  response_t [Cores-1:0] core_response;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  to_dispatcher_t         jobs_in;
  from_dispatcher_t       jobs_out;
  to_core_t [Cores-1:0]   cores_out;
  from_core_t [Cores-1:0] cores_in;
  assign jobs_in = '{job_valid: job_valid_i, job: job_i, source: source_i, operand_valid: operand_valid_i,
                     operand: '{last: operand_last_i, data: operand_data_i}, answer_ready: answer_ready_i,
                     result_ready: result_ready_i};
  assign {job_ready, operand_ready, answer_valid, answer, result_valid, result_last, result_data} = jobs_out;
  for (genvar i = 0; i < Cores; i++) begin : gen_core
    assign cores_in[i] = '{job_ready: core_job_ready_i[i], operand_ready: core_operand_ready_i[i],
                           response_valid: core_response_valid_i[i], response: core_response[i],
                           result_valid: core_result_valid_i[i],
                           result: '{last: core_result_last_i[i], data: core_result_data_i[i]}};
    assign core_job_valid[i]      = cores_out[i].job_valid;
    assign core_operand_valid[i]  = cores_out[i].operand_valid;
    assign core_response_ready[i] = cores_out[i].response_ready;
    assign core_result_ready[i]   = cores_out[i].result_ready;
  end
  assign core_job          = cores_out[0].job;  // all see the same: asserted below
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

  // The job that was taken last
  job_t             given_q;
  logic             given_source_q;
  logic             expects_operands_q;    // its operands have not all come
  logic [32:0]      word_q;                // the word of these that came last
  logic [Cores-1:0] has_given_q, unseen_q; // cores that have that job; that have not taken that word

  // The job of each core
  logic [Cores-1:0] has_job_q, writes_q;   // not yet answered by it; its result words are not all taken
  job_t             job_q[Cores];
  logic [Cores-1:0] source_q;
  logic [31:0]      time_q, begun_q[Cores], begun_all_q;  // when the core took it; when the last of all cores did

  // The answer that is due
  logic                 due_q;             // a core responded, and its answer is not yet taken
  logic [CoreWidth-1:0] core_q;            // the core that responded last: whose answer, and whose result, it is
  status_e              worst_q;
  logic [31:0]          cycles_q;
  logic [Cores-1:0]     answered_q;        // of a job for all
  logic                 result_due_q, result_here_q;
  logic [32:0]          result_q;

  // Of the cycle before
  logic                  operand_waits_q, job_waits_q, waiting_source_q;
  job_t                  waiting_job_q;
  logic [32:0]           waiting_word_q;
  logic [Cores-1:0]      response_waits_q, result_waits_q;
  status_e [Cores-1:0]   status_q;
  logic [Cores-1:0][32:0] waiting_result_q;

  logic [Cores-1:0] takes, sees, responds, gives;
  logic             all;                   // the answer that is due is of a job for all

  assign takes    = core_job_valid & core_job_ready_i;
  assign sees     = core_operand_valid & core_operand_ready_i;
  assign responds = core_response_valid_i & core_response_ready;
  assign gives    = core_result_valid_i & core_result_ready;
  assign all      = is_broadcast(job_q[core_q].op);

  always_comb begin
    for (int unsigned i = 0; i < Cores; i++) core_response[i] = '{status: core_status_i[i], tag: job_q[i].tag};
  end

  always_ff @(posedge clk_i) begin
    operand_waits_q  <= rst_ni && operand_valid_i && !operand_ready;
    waiting_word_q   <= {operand_last_i, operand_data_i};
    job_waits_q      <= rst_ni && job_valid_i && !job_ready;
    waiting_job_q    <= job_i;
    waiting_source_q <= source_i;
    response_waits_q <= rst_ni ? core_response_valid_i & ~core_response_ready : '0;
    status_q         <= core_status_i;
    result_waits_q   <= rst_ni ? core_result_valid_i & ~core_result_ready : '0;
    for (int unsigned i = 0; i < Cores; i++) waiting_result_q[i] <= {core_result_last_i[i], core_result_data_i[i]};
    time_q           <= rst_ni ? time_q + 1'b1 : '0;
    if (!rst_ni) begin
      expects_operands_q <= 1'b0;
      has_given_q        <= '0;
      unseen_q           <= '0;
      has_job_q          <= '0;
      writes_q           <= '0;
      due_q              <= 1'b0;
      core_q             <= '0;
      worst_q            <= StatusOk;
      answered_q         <= '0;
      result_due_q       <= 1'b0;
      result_here_q      <= 1'b0;
    end else begin
      if (job_valid_i && job_ready) begin
        given_q            <= job_i;
        given_source_q     <= source_i;
        has_given_q        <= '0;
        unseen_q           <= '0;
        expects_operands_q <= has_operands(job_i.op);
      end else begin
        has_given_q <= has_given_q | takes;
      end
      if (operand_valid_i && operand_ready) begin
        word_q   <= {operand_last_i, operand_data_i};
        unseen_q <= '1;
        if (operand_last_i) expects_operands_q <= 1'b0;
      end else if (sees != '0) begin
        unseen_q <= unseen_q & ~sees;
      end
      for (int unsigned i = 0; i < Cores; i++) begin
        if (takes[i]) begin
          has_job_q[i]  <= 1'b1;
          job_q[i]      <= core_job;
          source_q[i]   <= given_source_q;
          begun_q[i]    <= time_q;
          answered_q[i] <= 1'b0;
          begun_all_q   <= time_q;
        end
        if (responds[i]) begin
          has_job_q[i]  <= 1'b0;
          writes_q[i]   <= has_result(job_q[i].op) && core_status_i[i] == StatusOk;
          due_q         <= 1'b1;
          core_q        <= CoreWidth'(i);
          answered_q[i] <= 1'b1;
          cycles_q      <= time_q + 32'd1 - (is_broadcast(job_q[i].op) ? begun_all_q : begun_q[i]);
          if (core_status_i[i] > worst_q) worst_q <= core_status_i[i];
        end
        if (gives[i]) begin
          result_q <= {core_result_last_i[i], core_result_data_i[i]};
          if (core_result_last_i[i]) writes_q[i] <= 1'b0;
        end
      end
      if (answer_valid && answer_ready_i) begin
        due_q        <= 1'b0;
        worst_q      <= StatusOk;
        answered_q   <= '0;
        result_due_q <= answer.has_result;
      end else if (gives != '0 && |(gives & core_result_last_i)) begin
        result_due_q <= 1'b0;
      end
      if (gives != '0) result_here_q <= 1'b1;
      else if (result_valid && result_ready_i) result_here_q <= 1'b0;
    end
  end

  always_comb begin
    if (rst_ni) begin
      // job_mux: a job, its operands, the next job. The cores: see dispatcher_formal.
      if (job_waits_q) assume (job_valid_i && job_i == waiting_job_q && source_i == waiting_source_q);
      if (operand_waits_q) assume (operand_valid_i && {operand_last_i, operand_data_i} == waiting_word_q);
      if (expects_operands_q) assume (!job_valid_i);
      else assume (!operand_valid_i);
      for (int unsigned i = 0; i < Cores; i++) begin
        if (core_response_valid_i[i]) assume (has_job_q[i]);
        if (core_result_valid_i[i]) assume (writes_q[i]);
        if (response_waits_q[i]) assume (core_response_valid_i[i] && core_status_i[i] == status_q[i]);
        if (result_waits_q[i]) begin
          assume (core_result_valid_i[i] && {core_result_last_i[i], core_result_data_i[i]} == waiting_result_q[i]);
        end
      end

      // jobs: the one that was taken last; to a core that has none
      for (int unsigned i = 0; i < Cores; i++) begin
        if (core_job_valid[i]) assert (cores_out[i].job == given_q && !has_job_q[i] && !writes_q[i] && !has_given_q[i]);
        // operands: the word that came last, to a core that has its job and has not seen it
        if (core_operand_valid[i]) begin
          assert (has_given_q[i] && unseen_q[i] && cores_out[i].operand == word_q);
        end
      end
      // the next word, and the next job, only when every core with the job has seen the word
      if (operand_valid_i && operand_ready) assert ((unseen_q & has_given_q) == '0);
      if (job_valid_i && job_ready) assert ((unseen_q & has_given_q) == '0);

      // answers: of one core, or of all
      assert ($onehot0(responds) && $onehot0(gives));
      if (responds != '0) assert (!due_q || (all && !(|(responds & answered_q))));
      if (answer_valid) begin
        assert (due_q);
        assert (answer.tag == job_q[core_q].tag && answer.source == source_q[core_q]);
        assert (answer.status == worst_q);
        assert (answer.has_result == (has_result(job_q[core_q].op) && worst_q == StatusOk));
        assert (answer.cycles == cycles_q);
        if (all) assert (answered_q == '1);
      end
      // results: of the core of the last answer, behind it
      if (gives != '0) assert (result_due_q && !due_q && gives == Cores'(1) << core_q);
      if (result_valid) assert (result_here_q && {result_last, result_data} == result_q);
      if (gives != '0) assert (!result_here_q);
      if (answer_valid) assert (!result_due_q && !result_here_q);
    end
  end

  // That these do happen: a job of source 1 overtakes one of source 0, and its result has left while that one still runs;
  // a job for all is refused.
  logic overtaken_q, result_over_q;
  always_ff @(posedge clk_i) begin
    overtaken_q   <= rst_ni && (overtaken_q || (answer_valid && answer.source && has_job_q[0] && !source_q[0] && core_q != '0));
    result_over_q <= rst_ni && (result_over_q || (overtaken_q && result_valid && result_last && result_ready_i));
  end
  always_comb begin
    cover (rst_ni && result_over_q && has_job_q[0] && !source_q[0]);
    cover (rst_ni && answer_valid && all && worst_q == StatusBadModulus && answer.cycles > 32'd3 && answer.source);
  end

  // What the dispatcher has of the same things, which makes the rest inductive
  logic in_choose, in_offer, in_operands, in_listen, in_weigh, in_answer, in_result;
  assign in_choose   = u_dispatcher.job_state_q == 2'd1;
  assign in_offer    = u_dispatcher.job_state_q == 2'd2;
  assign in_operands = u_dispatcher.job_state_q == 2'd3;
  assign in_listen   = u_dispatcher.answer_state_q == 2'd0;
  assign in_weigh    = u_dispatcher.answer_state_q == 2'd1;
  assign in_answer   = u_dispatcher.answer_state_q == 2'd2;
  assign in_result   = u_dispatcher.answer_state_q == 2'd3;

  always_comb begin
    if (rst_ni) begin
      assert (u_dispatcher.now_q == time_q);
      assert (u_dispatcher.core_bit_q == Cores'(1) << u_dispatcher.core_q && 32'(u_dispatcher.core_q) < Cores);
      assert (32'(core_q) < Cores);

      // jobs out
      if (in_choose || in_offer || in_operands) begin
        assert (u_dispatcher.job_q == given_q && u_dispatcher.job_source_q == given_source_q);
        assert (u_dispatcher.for_all_q == is_broadcast(given_q.op));
        assert (u_dispatcher.has_operands_q == has_operands(given_q.op));
        assert (u_dispatcher.job_has_result_q == has_result(given_q.op));
      end
      if (in_choose) begin
        assert (has_given_q == '0);
        assert ((u_dispatcher.free_q & u_dispatcher.busy_q) == '0);
        assert (!u_dispatcher.idle_q || u_dispatcher.busy_q == '0);
      end
      if (in_offer) begin
        assert (u_dispatcher.pending_q != '0 && (u_dispatcher.pending_q & ~u_dispatcher.target_q) == '0);
        assert (has_given_q == (u_dispatcher.target_q & ~u_dispatcher.pending_q));
        assert ((u_dispatcher.pending_q & (has_job_q | writes_q | u_dispatcher.done_cores_q | answered_q)) == '0);
      end
      if (in_offer || in_operands) begin
        assert (u_dispatcher.target_q == (is_broadcast(given_q.op) ? '1 : Cores'(1) << u_dispatcher.target_index_q));
        if (is_broadcast(given_q.op)) assert (u_dispatcher.target_index_q == '0);
      end
      if (in_operands) assert (has_given_q == u_dispatcher.target_q && has_operands(given_q.op));
      if (!in_operands) assert (u_dispatcher.taken_q == '0);
      if (in_operands || !u_dispatcher.u_operand.ready_q) begin
        assert ((u_dispatcher.taken_q & ~u_dispatcher.target_q) == '0);
      end

      // operands
      assert (!(u_dispatcher.operand_valid && operand_ready));
      if (u_dispatcher.operand_valid) begin
        assert (in_choose || in_offer || in_operands);
        assert ({core_operand_last, core_operand_data} == word_q);
        if (in_operands) assert ((unseen_q & u_dispatcher.target_q) == (u_dispatcher.target_q & ~u_dispatcher.taken_q));
        else assert (unseen_q == '1);
      end else begin
        assert (u_dispatcher.taken_q == '0 && (unseen_q & has_given_q) == '0);
        if (in_choose || in_offer) assert (unseen_q == '0);
      end
      assert (expects_operands_q == ((in_choose || in_offer || in_operands) && has_operands(given_q.op) &&
                                     !(u_dispatcher.operand_valid && core_operand_last)));
      if (u_dispatcher.operand_valid) assert (has_operands(given_q.op));

      // cores: busy from the choice to the end of the answer, or of the result; a job for all has all of them
      assert (((has_job_q | writes_q | answered_q) & ~u_dispatcher.busy_q) == '0);
      assert ((u_dispatcher.done_cores_q & (has_job_q | writes_q | answered_q)) == '0);
      assert ((u_dispatcher.done_cores_q & ~u_dispatcher.busy_q) == '0);
      if (!in_listen) assert (u_dispatcher.done_cores_q == '0);
      if (in_result) begin
        assert (u_dispatcher.busy_q[core_q] && !has_job_q[core_q]);
        assert (!(in_offer && u_dispatcher.pending_q[core_q]));
      end
      if (in_offer) assert ((u_dispatcher.pending_q & ~u_dispatcher.busy_q) == '0);
      assert ((has_job_q & answered_q) == '0);
      if (in_offer) assert (u_dispatcher.all_q == is_broadcast(given_q.op));
      if (u_dispatcher.all_q) begin
        assert ((has_job_q | answered_q | (in_offer ? u_dispatcher.pending_q : '0)) == '1);
        assert (u_dispatcher.missing_q == ~answered_q && due_q == (answered_q != '0));
        assert (u_dispatcher.busy_q == '1);
      end else begin
        assert (answered_q == (due_q ? Cores'(1) << core_q : '0));
      end
      if (due_q) assert (answered_q[core_q]);
      for (int unsigned i = 0; i < Cores; i++) begin
        if (has_job_q[i] || answered_q[i]) begin
          assert (is_broadcast(job_q[i].op) == u_dispatcher.all_q);
          assert (u_dispatcher.source_q[i] == source_q[i]);
          assert (u_dispatcher.has_result_q[i] == has_result(job_q[i].op));
          if (!u_dispatcher.all_q) assert (u_dispatcher.start_q[i] == begun_q[i]);
          else if (!in_offer) assert (u_dispatcher.start_q[0] == begun_all_q);
        end
      end

      // answers in
      if (!in_listen) assert (u_dispatcher.core_q == core_q);
      if (in_weigh || in_answer) assert (due_q);
      if (in_answer && u_dispatcher.all_q) assert (answered_q == '1);
      if (in_result) assert (!due_q && !u_dispatcher.all_q && u_dispatcher.answer_q.has_result);
      if (in_listen && due_q) assert (u_dispatcher.all_q && answered_q != '1);
      if (in_listen || in_answer) assert (u_dispatcher.answer_q.status == worst_q);
      if (in_weigh) begin
        assert (u_dispatcher.response_q.tag == job_q[core_q].tag);
        assert (worst_q == (u_dispatcher.response_q.status > u_dispatcher.answer_q.status ?
                            u_dispatcher.response_q.status : u_dispatcher.answer_q.status));
        if (answered_q == '1 || !u_dispatcher.all_q) assert (32'(time_q - u_dispatcher.begun_q) == cycles_q);
      end
      if (!due_q) assert (worst_q == StatusOk);
      if (in_result) assert (u_dispatcher.answer_q.status == StatusOk);
      if (in_weigh && !u_dispatcher.all_q) assert (u_dispatcher.answer_q.status == StatusOk);

      // results
      for (int unsigned i = 0; i < Cores; i++) begin
        assert (writes_q[i] == ((due_q && answered_q[i] && has_result(job_q[i].op) && worst_q == StatusOk) ||
                                (in_result && result_due_q && 32'(core_q) == i)));
      end
      assert (result_valid == result_here_q);
      if (!in_result) assert (!result_due_q && !result_here_q && !u_dispatcher.result_end_q);
      else if (result_due_q) assert (!(result_here_q && result_q[32]) && !u_dispatcher.result_end_q);
      else assert ((result_here_q && result_q[32]) != u_dispatcher.result_end_q);
      if (result_here_q) assert (!u_dispatcher.out_ready);
    end
  end

endmodule
