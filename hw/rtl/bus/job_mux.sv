// SPDX-License-Identifier: Apache-2.0
// Two sources of jobs become one: a job and its operands, then the next job, in turn when both have one. An answer, and
// its result, go back to where their job came from.
//
//   cycle           0    1    2    3    4    5    6    7    8      everything is taken at once
//   source 0 job    J    J    J    J    J    J    j0   j1          waits; j1 is the last operand
//   source 1 job    K    K    k0   k1
//   jobs_o job           K                   J
//   jobs_o operand            k0   k1             j0   j1
//   jobs_o.source        1    1    1         0    0    0
//
//   cycle           0    1    2    3    4                          everything is taken at once
//   jobs_i          A    a0   a1   B                               an answer of source 1 with its result, one of source 0
//   source 0                       B
//   source 1        A    a0   a1
//
// Contract    Operands of a job follow it, and none come between. An offered job stays the same until it is taken. The
//             next answer comes when the result of the one before has ended.
module job_mux
  import garner_pkg::*;
  import bus_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  to_dispatcher_t [1:0]   sources_i,
  output from_dispatcher_t [1:0] sources_o,

  output to_dispatcher_t         jobs_o,
  input  from_dispatcher_t       jobs_i
);

  typedef enum logic [1:0] {
    Choose,
    Offer,
    Operands
  } state_e;

  state_e     state_q;
  logic       source_q;
  logic       result_source_q;  // whom the result words belong to
  logic [1:0] waits;            // has a job

  assign waits = {sources_i[1].job_valid, sources_i[0].job_valid};

  always_comb begin
    jobs_o               = sources_i[source_q];
    jobs_o.job_valid     = state_q == Offer;
    jobs_o.source        = source_q;
    jobs_o.operand_valid = state_q == Operands && sources_i[source_q].operand_valid;
    jobs_o.answer_ready  = sources_i[jobs_i.answer.source].answer_ready;
    jobs_o.result_ready  = sources_i[result_source_q].result_ready;
  end

  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      sources_o[i]               = jobs_i;
      sources_o[i].job_ready     = state_q == Offer && jobs_i.job_ready && 1'(i) == source_q;
      sources_o[i].operand_ready = state_q == Operands && jobs_i.operand_ready && 1'(i) == source_q;
      sources_o[i].answer_valid  = jobs_i.answer_valid && 1'(i) == jobs_i.answer.source;
      sources_o[i].result_valid  = jobs_i.result_valid && 1'(i) == result_source_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Choose;
      source_q <= 1'b0;
    end else begin
      unique case (state_q)
        Choose: if (waits != '0) begin
          source_q <= waits[!source_q] ? !source_q : source_q;
          state_q  <= Offer;
        end
        Offer: if (jobs_i.job_ready) state_q <= has_operands(jobs_o.job.op) ? Operands : Choose;
        default: if (jobs_o.operand_valid && jobs_i.operand_ready && jobs_o.operand.last) state_q <= Choose;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) result_source_q <= 1'b0;
    else if (jobs_i.answer_valid && jobs_o.answer_ready) result_source_q <= jobs_i.answer.source;  // SEC_CM: JOB.OWN_ANSWER
  end

endmodule
