// SPDX-License-Identifier: Apache-2.0
// job_mux: each job that leaves is one that a source offers, and is taken from that source alone; then come that source's
// operands, to the last and no others, before any further job. What is offered stays. A source that waits is next. An
// answer comes to the source that it names, its result to the same, and to no other.
module job_mux_formal
  import garner_pkg::*;
  import bus_pkg::*;
(
  input logic                 clk_i,
  input to_dispatcher_t [1:0] sources_i,
  input from_dispatcher_t     jobs_i
);

  logic                   rst_ni;
  from_dispatcher_t [1:0] to;
  to_dispatcher_t         jobs;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  job_mux u_mux (
    .clk_i,
    .rst_ni,
    .sources_i,
    .sources_o(to),
    .jobs_o   (jobs),
    .jobs_i
  );

  logic [1:0] job_valid, job_ready, operand_valid, operand_ready;

  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      job_valid[i]     = sources_i[i].job_valid;
      job_ready[i]     = to[i].job_ready;
      operand_valid[i] = sources_i[i].operand_valid;
      operand_ready[i] = to[i].operand_ready;
    end
  end

  // Of the cycle before: what was offered and not taken, on either side
  logic [1:0]           job_waits_q, operand_waits_q;
  to_dispatcher_t [1:0] sources_q;
  logic                 offer_waits_q, word_waits_q;
  to_dispatcher_t       jobs_q;
  // The job that left last
  logic                 due_q;        // its operands have not all come
  logic                 owner_q;      // whose it was
  logic [1:0][1:0]      overtaken_q;  // jobs of the other source that left while this one's waited
  logic [1:0]           ended_q;      // sources whose operands have come to an end once
  logic                 answered_q;   // whose answer was taken last

  always_ff @(posedge clk_i) begin
    job_waits_q     <= rst_ni ? job_valid & ~job_ready : '0;
    operand_waits_q <= rst_ni ? operand_valid & ~operand_ready : '0;
    sources_q       <= sources_i;
    offer_waits_q   <= rst_ni && jobs.job_valid && !jobs_i.job_ready;
    word_waits_q    <= rst_ni && jobs.operand_valid && !jobs_i.operand_ready;
    jobs_q          <= jobs;
    if (!rst_ni) begin
      due_q       <= 1'b0;
      overtaken_q <= '0;
      ended_q     <= '0;
      answered_q  <= 1'b0;
    end else begin
      if (jobs.job_valid && jobs_i.job_ready) begin
        due_q   <= has_operands(jobs.job.op);
        owner_q <= jobs.source;
      end
      if (jobs.operand_valid && jobs_i.operand_ready && jobs.operand.last) begin
        due_q            <= 1'b0;
        ended_q[owner_q] <= 1'b1;
      end
      for (int unsigned i = 0; i < 2; i++) begin
        if (!job_valid[i] || job_ready[i]) overtaken_q[i] <= '0;
        else if (job_ready != '0) overtaken_q[i] <= overtaken_q[i] + 1'b1;
      end
      if (jobs_i.answer_valid && jobs.answer_ready) answered_q <= jobs_i.answer.source;
    end
  end

  always_comb begin
    if (rst_ni) begin
      for (int unsigned i = 0; i < 2; i++) begin
        if (job_waits_q[i]) assume (job_valid[i] && sources_i[i].job == sources_q[i].job);
        if (operand_waits_q[i]) assume (operand_valid[i] && sources_i[i].operand == sources_q[i].operand);
      end

      // a job: one of its source's, taken there when it is taken here, and not before the one ahead is whole
      if (jobs.job_valid) assert (job_valid[jobs.source] && jobs.job == sources_i[jobs.source].job && !due_q);
      assert (job_ready == ((jobs.job_valid && jobs_i.job_ready) ? 2'b01 << jobs.source : 2'b00));
      if (offer_waits_q) assert (jobs.job_valid && jobs.job == jobs_q.job && jobs.source == jobs_q.source);
      // its operands, and nobody else's
      if (due_q) assert (jobs.source == owner_q && jobs.operand_valid == operand_valid[owner_q]);
      else assert (!jobs.operand_valid && operand_ready == '0);
      assert (operand_ready == ((due_q && jobs_i.operand_ready) ? 2'b01 << owner_q : 2'b00));
      if (jobs.operand_valid) assert (jobs.operand == sources_i[owner_q].operand);
      if (word_waits_q) assert (jobs.operand_valid && jobs.operand == jobs_q.operand);
      // in turn
      for (int unsigned i = 0; i < 2; i++) assert (overtaken_q[i] <= 2'd1);
      // answers and results: to one source, which says when they are taken
      for (int unsigned i = 0; i < 2; i++) begin
        assert (to[i].answer_valid == (jobs_i.answer_valid && jobs_i.answer.source == 1'(i)));
        if (to[i].answer_valid) assert (to[i].answer == jobs_i.answer && jobs.answer_ready == sources_i[i].answer_ready);
        assert (to[i].result_valid == (jobs_i.result_valid && answered_q == 1'(i)));
        if (to[i].result_valid) assert (to[i].result == jobs_i.result && jobs.result_ready == sources_i[i].result_ready);
      end

      // that it happens: operands of each source have ended, a source that waits lets one pass, and a result goes to each
      cover (ended_q == 2'b11 && overtaken_q != '0);
      cover (to[0].result_valid && jobs.result_ready);
      cover (to[1].result_valid && jobs.result_ready);
    end
  end

endmodule
