// SPDX-License-Identifier: Apache-2.0
// dma: of the jobs under way no two have the same tag, and an answer finds the context of the job with its tag. So the
// result and the completion of a job go to where its own descriptor says, in whatever order the cores answer.
//
// The reader, the writer, the packet buffer and completion_write are black boxes here, which do anything.
module contexts_formal
  import garner_pkg::*;
  import bus_pkg::*;
(
  input logic        clk_i,
  input logic [1:0]  watched_i,       // the tag that is followed: any, constant
  input logic        job_ready_i,
  input logic        answer_valid_i,
  input answer_t     answer_i
);

  localparam int unsigned InFlight = 4;

  logic           rst_ni;
  logic [1:0]     watched_q;
  to_dispatcher_t jobs;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;
  always_ff @(posedge clk_i) watched_q <= rst_ni ? watched_q : watched_i;

  /* verilator lint_off PINMISSING */
  dma #(
    .InFlight(InFlight)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .settings_i   ('{enable: 1'b1, submission: '{base: '0, log2: 4'd4, tail: 16'd9},
                     completion: '{base: '0, log2: 4'd4, head: '0}}),
    .hold_i       (1'b0),
    .wipe_i       (1'b0),
    .jobs_o       (jobs),
    .jobs_i       ('{job_ready: job_ready_i, operand_ready: 1'b1, answer_valid: answer_valid_i, answer: answer_i, default: '0}),
    .m_axi_i      ('0),
    .m_axi_rdata_i('0)
  );

  // The job with that tag
  logic       used_q;                 // there is one, from its descriptor_fetch to its answer
  context_t   context_q;
  logic       out_q;                  // it has left, and is not yet answered
  logic       taken, left, answered;
  logic       released;               // its place is about to be free
  logic [2:0] leaving;                // with that tag, on their way out

  assign taken    = u_dma.context_take && u_dma.fresh_index == watched_q;
  assign left     = jobs.job_valid && job_ready_i && jobs.job.tag == 16'(watched_q);
  assign released = u_dma.u_contexts.answered_q && u_dma.u_contexts.answered_index_q == watched_q;
  assign answered = answer_valid_i && jobs.answer_ready && answer_i.tag[1:0] == watched_q;

  always_comb begin
    leaving = 3'(jobs.job_valid && jobs.job.tag == 16'(watched_q));
    for (int unsigned i = 0; i < 4; i++) begin
      if (3'(i) < u_dma.u_jobs.count_q) begin
        leaving = leaving + 3'(tag_at(2'(u_dma.u_jobs.read_q + 2'(i))) == 16'(watched_q));
      end
    end
  end

  function automatic logic [15:0] tag_at(logic [1:0] place);
    job_t j = u_dma.u_jobs.words_q[place];
    return j.tag;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q <= 1'b0;
      out_q  <= 1'b0;
    end else begin
      if (taken) begin
        used_q    <= 1'b1;
        context_q <= u_dma.fresh_context;
      end
      if (left) out_q <= 1'b1;
      if (answered) {used_q, out_q} <= 2'b00;
    end
  end

  always_comb begin
    if (rst_ni) begin
      // dispatcher and cores: an answer has the tag of a job that left and is not answered (dispatcher_routing_formal)
      if (answer_valid_i && answer_i.tag[1:0] == watched_q) assume (out_q);

      // one at a time, and its context stays until its answer
      if (taken) assert (!used_q && u_dma.job.tag == 16'(watched_q));
      if (left) assert (used_q && !out_q);
      if (answered) assert (used_q && u_dma.answer_context == context_q);

      // what dma has of the same, which makes the rest inductive
      assert (u_dma.u_contexts.taken_q[watched_q] == (used_q || released));
      if (released) assert (!used_q);
      if (used_q) assert (u_dma.u_contexts.table_q[watched_q] == context_q);
      assert (leaving + 3'(out_q) == 3'(used_q));
      assert (u_dma.u_jobs.count_q <= 3'd4 && 2'(u_dma.u_jobs.write_q - u_dma.u_jobs.read_q) == u_dma.u_jobs.count_q[1:0]);
      assert (u_dma.job_waits == (u_dma.u_jobs.count_q != '0));
      assert (!(u_dma.job_taken && jobs.job_valid));
      assert (u_dma.u_fetch.state_q <= 3'd4);
      // the context that descriptor_fetch has chosen is free
      if (u_dma.u_fetch.state_q == 3'd0 && u_dma.u_fetch.room_q) assert (u_dma.u_contexts.taken_q != '1);
      if (u_dma.u_fetch.state_q inside {[3'd1:3'd3]}) begin
        assert (!u_dma.u_contexts.taken_q[u_dma.fresh_index] && u_dma.job.tag == 16'(u_dma.fresh_index));
      end

      // that it happens
      cover (answered);
    end
  end

endmodule
