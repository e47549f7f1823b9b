// SPDX-License-Identifier: Apache-2.0
// The peripheral `rsa` of hw/interface/soc.toml: an rsa_core whose job, operands and result are registers.
//
//   cycle             0    1    2    3        an operand; while the queue is full the answer waits
//   access_i.valid    1    0    0    0
//   answer_o.ready    0    0    1    0        a cycle after the queue has taken the word; a result word likewise
//
//   firmware: operand ... operand_last, job0, job1 (in any order); status until bit 0; accept; result ...
//
// Contract    irq_o is high from an answer to its acceptance, a cycle late.
//             One job at a time. An access is answered when its word has moved: never, if the core neither takes nor
//             gives one, and then the bus gives up (soc_bus) and cancel_i drops the access. job1 is ignored while a
//             job waits to be taken. The RESET register resets core and queues; the core then wipes its memories
//             before it takes a job.
//             Faults, for tests alone: hang_i: no job is taken; corrupt_i: the lowest bit of each result word is wrong;
//             silent_i: no access is answered; spurious_i: irq_o without an answer, for 64 cycles of 4,096.
module rsa_port
  import soc_pkg::*;
  import garner_pkg::*;
#(
  parameter int unsigned W            = 18,    // bits of a word of rsa_core
  parameter int unsigned Rows         = 8,     // two multipliers each
  parameter int unsigned MaxBits      = 2048,
  parameter int unsigned OperandWords = 4096
) (
  input  logic    clk_i,
  input  logic    rst_ni,
  input  access_t access_i,
  output answer_t answer_o,
  input  logic    cancel_i,
  input  logic    hang_i,
  input  logic    corrupt_i,
  input  logic    silent_i,
  input  logic    spurious_i,
  output logic    irq_o,
  output logic    working_o  // a job has been taken and not been answered
);

  // ---- The access under way
  logic pending_q, write_q;
  logic [13:0] word_q;
  logic [31:0] data_q;
  /* verilator lint_off UNUSEDSIGNAL */ // its other bits are reserved
  rsa_reset_t reset;
  /* verilator lint_on UNUSEDSIGNAL */
  logic is_operand, is_result, operand_ready, result_valid, moved;
  logic [31:0] result;
  assign reset = data_q;
  assign is_operand = word_q == RsaOperand || word_q == RsaOperandLast;
  assign is_result = word_q == RsaResult;
  assign moved = pending_q && !silent_i && (is_operand && write_q ? operand_ready
                                            : is_result && !write_q ? result_valid : 1'b1);

  // ---- The core
  logic reset_q, core_rst_nq, job_valid_q, job_ready, response_valid, accept_q, busy;
  logic operand_valid, core_operand_ready, core_operand_last, result_last;
  logic [31:0] core_operand, job0_q, job1_q;
  job_t job;
  response_t response;
  assign job = descriptor_pkg::unpack_job(job0_q, job1_q);

  fifo #(.Width(33), .Depth(256)) u_operands (
    .clk_i, .rst_ni(core_rst_nq),
    .in_valid_i(pending_q && !silent_i && write_q && is_operand), .in_ready_o(operand_ready),
    .in_data_i({word_q == RsaOperandLast, data_q}),
    .out_valid_o(operand_valid), .out_ready_i(core_operand_ready), .out_data_o({core_operand_last, core_operand})
  );

  logic core_clk;
  clock_gate u_clock (
    .clk_i, .rst_ni, .clk_o(core_clk),
    .run_i(!core_rst_nq || busy || job_valid_q || operand_valid || response_valid || result_valid || pending_q)
  );
  rsa_core #(.Rows(Rows), .MaxBits(MaxBits), .KeySlots(1), .OperandWords(OperandWords), .W(W)) u_core (
    .clk_i(core_clk), .rst_ni(core_rst_nq), .job_valid_i(job_valid_q && !hang_i), .job_ready_o(job_ready), .job_i(job),
    .in_valid_i(operand_valid), .in_ready_o(core_operand_ready), .in_data_i(core_operand),
    .in_last_i(core_operand_last),
    .response_valid_o(response_valid), .response_ready_i(accept_q), .response_o(response),
    .out_valid_o(result_valid), .out_ready_i(moved && is_result && !write_q), .out_data_o(result),
    .out_last_o(result_last), .zeroise_i(1'b0), .busy_o(busy)
  );

  logic answer_ready_q;
  logic [31:0] answer_data_q;
  rsa_montgomery_t built;
  rsa_status_t status;
  assign built = '{max_bits: 16'(MaxBits), rows: 8'(Rows), word_bits: 8'(W)};
  assign status = '{tag: response.tag, status: response.status, waiting: job_valid_q, answered: response_valid, default: '0};
  assign answer_o = '{ready: answer_ready_q, data: answer_data_q};
  logic [11:0] spurious_q;
  logic unused;
  assign unused = result_last;

  always_ff @(posedge clk_i) begin
    if (access_i.valid) begin
      write_q    <= access_i.write;
      word_q <= access_i.word;
      data_q     <= access_i.data;
    end
    if (moved && write_q && word_q == RsaJob0) job0_q <= data_q;
    if (moved && write_q && word_q == RsaJob1 && !job_valid_q) job1_q <= data_q;
    answer_data_q <= is_result ? result ^ 32'(corrupt_i)
                     : word_q == RsaMontgomery ? built : status;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q      <= 1'b0;
      answer_ready_q <= 1'b0;
      job_valid_q    <= 1'b0;
      accept_q       <= 1'b0;
      working_o      <= 1'b0;
      irq_o          <= 1'b0;
      spurious_q     <= '0;
      reset_q        <= 1'b0;
      core_rst_nq    <= 1'b0;
    end else begin
      if (access_i.valid) pending_q <= 1'b1;
      else if (moved || cancel_i) pending_q <= 1'b0;
      answer_ready_q <= moved;
      accept_q <= moved && write_q && word_q == RsaAccept && response_valid;
      if (moved && write_q && word_q == RsaReset) reset_q <= reset.hold;
      core_rst_nq <= !reset_q;
      spurious_q <= spurious_q + 12'(spurious_i);
      irq_o <= (response_valid && !accept_q) || spurious_q[11:6] == '1;
      if (reset_q) begin
        job_valid_q <= 1'b0;
        working_o   <= 1'b0;
      end else begin
        if (moved && write_q && word_q == RsaJob1 && !job_valid_q) job_valid_q <= 1'b1;
        else if (job_ready && !hang_i) job_valid_q <= 1'b0;
        if (job_valid_q && job_ready && !hang_i) working_o <= 1'b1;
        else if (response_valid) working_o <= 1'b0;
      end
    end
  end

endmodule
