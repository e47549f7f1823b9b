// SPDX-License-Identifier: Apache-2.0
// job_mux: each job that leaves is one that a source offers, and is taken from that source alone; then come that source's
// operands, to the last and no others, before any further job. What is offered stays. A source that waits is next.
module job_mux_formal
  import garner_pkg::*;
(
  input logic             clk_i,
  input logic [1:0]       job_valid_i,
  input job_t [1:0]       job_i,
  input logic [1:0]       operand_valid_i,
  input logic [1:0][31:0] operand_data_i,
  input logic [1:0]       operand_last_i,
  input logic             job_ready_i,
  input logic             operand_ready_i
);

  logic        rst_ni;
  logic [1:0]  job_ready, operand_ready;
  logic        job_valid, source, operand_valid, operand_last;
  job_t        job;
  logic [31:0] operand_data;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  job_mux u_mux (
    .clk_i,
    .rst_ni,
    .job_valid_i,
    .job_ready_o    (job_ready),
    .job_i,
    .operand_valid_i,
    .operand_ready_o(operand_ready),
    .operand_data_i,
    .operand_last_i,
    .job_valid_o    (job_valid),
    .job_ready_i,
    .job_o          (job),
    .source_o       (source),
    .operand_valid_o(operand_valid),
    .operand_ready_i,
    .operand_data_o (operand_data),
    .operand_last_o (operand_last)
  );

  // Of the cycle before: what was offered and not taken, on either side
  logic [1:0]       job_waits_q, operand_waits_q, operand_last_q;
  job_t [1:0]       job_q;
  logic [1:0][31:0] operand_q;
  logic             offer_waits_q, word_waits_q, source_q, word_last_q;
  job_t             offer_q;
  logic [31:0]      word_q;
  // The job that left last
  logic             due_q;                  // its operands have not all come
  logic             owner_q;                // whose it was
  logic [1:0][1:0]  overtaken_q;            // jobs of the other source that left while this one's waited
  logic [1:0]       ended_q;                // sources whose operands have come to an end once

  always_ff @(posedge clk_i) begin
    job_waits_q     <= rst_ni ? job_valid_i & ~job_ready : '0;
    operand_waits_q <= rst_ni ? operand_valid_i & ~operand_ready : '0;
    operand_last_q  <= operand_last_i;
    job_q           <= job_i;
    operand_q       <= operand_data_i;
    offer_waits_q   <= rst_ni && job_valid && !job_ready_i;
    word_waits_q    <= rst_ni && operand_valid && !operand_ready_i;
    source_q        <= source;
    offer_q         <= job;
    word_q          <= operand_data;
    word_last_q     <= operand_last;
    if (!rst_ni) begin
      due_q       <= 1'b0;
      overtaken_q <= '0;
      ended_q     <= '0;
    end else begin
      if (job_valid && job_ready_i) begin
        due_q   <= has_operands(job.op);
        owner_q <= source;
      end
      if (operand_valid && operand_ready_i && operand_last) begin
        due_q            <= 1'b0;
        ended_q[owner_q] <= 1'b1;
      end
      for (int unsigned i = 0; i < 2; i++) begin
        if (!job_valid_i[i] || job_ready[i]) overtaken_q[i] <= '0;
        else if (job_ready != '0) overtaken_q[i] <= overtaken_q[i] + 1'b1;
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      for (int unsigned i = 0; i < 2; i++) begin
        if (job_waits_q[i]) assume (job_valid_i[i] && job_i[i] == job_q[i]);
        if (operand_waits_q[i]) begin
          assume (operand_valid_i[i] && operand_data_i[i] == operand_q[i] && operand_last_i[i] == operand_last_q[i]);
        end
      end

      // a job: one of its source's, taken there when it is taken here, and not before the one ahead is whole
      if (job_valid) assert (job_valid_i[source] && job == job_i[source] && !due_q);
      assert (job_ready == ((job_valid && job_ready_i) ? 2'b01 << source : 2'b00));
      if (offer_waits_q) assert (job_valid && job == offer_q && source == source_q);
      // its operands, and nobody else's
      if (due_q) assert (source == owner_q && operand_valid == operand_valid_i[owner_q]);
      else assert (!operand_valid && operand_ready == '0);
      assert (operand_ready == ((due_q && operand_ready_i) ? 2'b01 << owner_q : 2'b00));
      if (operand_valid) assert (operand_data == operand_data_i[owner_q] && operand_last == operand_last_i[owner_q]);
      if (word_waits_q) assert (operand_valid && operand_data == word_q && operand_last == word_last_q);
      // in turn
      for (int unsigned i = 0; i < 2; i++) assert (overtaken_q[i] <= 2'd1);

      // that it happens: operands of each source have ended, and a source that waits lets one pass
      cover (ended_q == 2'b11 && overtaken_q != '0);
    end
  end

endmodule
