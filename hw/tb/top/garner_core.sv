// SPDX-License-Identifier: Apache-2.0
// A second core, to try the shell with: it adds where the RSA core exponentiates, and is as unpredictable as it can be.
//
//   OpLoadModulus, OpLoadKey   the slot's key becomes the sum of all operand words; StatusBadModulus if the first is even
//   OpMultiply                 two halves a, b: a[i] + b[i] + key
//   OpExponentiate             one word: the sum of all operand words, plus key
//   OpPrivate                  operand[i] + key + i
//   OpZeroise                  forgets the key
//
// It takes operands at random, thinks for up to 255 cycles and answers what it refuses before it has read the operands.
// Zeroised, it answers the job under way with StatusEmptySlot, unless its result is already announced, and so what comes
// while `zeroise_i` stays.
// `sick_q` is for the tests: set, the core answers StatusCheckFailed.
module garner_core
  import garner_pkg::*;
  import bus_pkg::*;
#(
  /* verilator lint_off UNUSEDPARAM */ // the ports and parameters of any core
  /* verilator lint_off UNUSEDSIGNAL */
  parameter int unsigned WordBits = 18,
  parameter int unsigned Rows     = 15,
  parameter int unsigned MaxBits  = 4096,
  parameter int unsigned KeySlots = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  to_core_t    jobs_i,
  output from_core_t  jobs_o,
  input  logic        zeroise_i,
  output logic        busy_o
);

  typedef enum logic [2:0] {
    Idle,
    Read,
    Think,
    Respond,
    Write,
    Zeroise
  } state_e;

  localparam int unsigned SlotWidth = $clog2(KeySlots);

  state_e              state_q;
  job_t                job_q;
  status_e             status_q;
  logic [31:0]         memory_q[512];
  logic [31:0]         key_q[KeySlots];
  logic [KeySlots-1:0] loaded_q;
  logic [9:0]          count_q, read_q, length_q;
  logic [31:0]         sum_q;
  logic [31:0]         random_q;
  logic [7:0]          think_q;
  logic                reading_q;     // operands are still to come, also of a job that is answered
  logic [31:0]         key;
  status_e             refusal;
  logic                sick_q;
  logic                zeroise_q;     // zeroise_i was there already
  logic                job_ready, operand_ready, result_valid;
  word_t               result;

  initial sick_q = 1'b0;

  assign key = key_q[job_q.slot[SlotWidth-1:0]];
  always_comb begin
    refusal = StatusOk;
    if (zeroise_i) begin
      refusal = StatusEmptySlot;
    end else if (!(jobs_i.job.op inside {OpLoadModulus, OpLoadKey, OpMultiply, OpExponentiate, OpPrivate, OpZeroise})) begin
      refusal = StatusBadOp;
    end else if (jobs_i.job.slot >= 8'(KeySlots)) begin
      refusal = StatusBadSlot;
    end else if (has_result(jobs_i.job.op) && !loaded_q[jobs_i.job.slot[SlotWidth-1:0]]) begin
      refusal = StatusEmptySlot;
    end
  end

  assign job_ready     = state_q == Idle && !reading_q && random_q[3];
  assign operand_ready = reading_q && random_q[7];
  assign result_valid  = state_q == Write && random_q[5] || (state_q == Write && read_q != '0);
  assign jobs_o = '{job_ready: job_ready, operand_ready: operand_ready, response_valid: state_q == Respond,
                    response: '{status: status_q, tag: job_q.tag}, result_valid: result_valid, result: result};
  assign busy_o        = state_q inside {Read, Think};
  always_comb begin
    result.last = read_q == length_q - 1'b1;
    unique case (job_q.op)
      OpMultiply:     result.data = memory_q[read_q[8:0]] + memory_q[read_q[8:0] + length_q[8:0]] + key;
      OpExponentiate: result.data = sum_q + key;
      default:        result.data = memory_q[read_q[8:0]] + key + 32'(read_q);
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      random_q  <= 32'h1234_5678;
      reading_q <= 1'b0;
      loaded_q  <= '0;
      status_q  <= StatusOk;
      zeroise_q <= 1'b0;
    end else begin
      zeroise_q <= zeroise_i;
      random_q  <= {random_q[30:0], random_q[31] ^ random_q[21] ^ random_q[1] ^ random_q[0]}
                   ^ {31'd0, jobs_i.operand_valid};
      if (reading_q && jobs_i.operand_valid && operand_ready) begin
        if (status_q == StatusOk) memory_q[count_q[8:0]] <= jobs_i.operand.data;
        count_q <= count_q + 1'b1;
        sum_q   <= sum_q + jobs_i.operand.data;
        if (count_q == '0 && job_q.op inside {OpLoadModulus, OpLoadKey} && !jobs_i.operand.data[0]) begin
          status_q <= StatusBadModulus;
        end
        if (jobs_i.operand.last) reading_q <= 1'b0;
      end
      unique case (state_q)
        Idle: begin
          count_q <= '0;
          read_q  <= '0;
          sum_q   <= '0;
          if (jobs_i.job_valid && job_ready) begin
            job_q     <= jobs_i.job;
            reading_q <= has_operands(jobs_i.job.op);
            status_q  <= refusal;
            state_q   <= (refusal != StatusOk) ? Respond : has_operands(jobs_i.job.op) ? Read : Think;
            think_q   <= random_q[15:8];
          end
        end
        Read: if (!reading_q) begin
          state_q <= Think;
        end
        Think: begin
          think_q  <= think_q - 1'b1;
          length_q <= (job_q.op == OpMultiply) ? count_q >> 1 : (job_q.op == OpExponentiate) ? 10'd1 : count_q;
          if (think_q == '0) begin
            if (job_q.op inside {OpLoadModulus, OpLoadKey} && status_q == StatusOk) begin
              key_q[job_q.slot[SlotWidth-1:0]]    <= sum_q;
              loaded_q[job_q.slot[SlotWidth-1:0]] <= 1'b1;
            end
            if (job_q.op == OpZeroise) loaded_q[job_q.slot[SlotWidth-1:0]] <= 1'b0;
            if (sick_q) status_q <= StatusCheckFailed;
            state_q <= Respond;
          end
        end
        Respond: if (jobs_i.response_ready) state_q <= (has_result(job_q.op) && status_q == StatusOk) ? Write : Idle;
        Write: if (result_valid && jobs_i.result_ready) begin
          read_q <= read_q + 1'b1;
          if (result.last) state_q <= Idle;
        end
        default: begin
          think_q <= think_q - 1'b1;
          if (think_q == '0) state_q <= Idle;
        end
      endcase
      if (zeroise_i && !zeroise_q) begin
        loaded_q <= '0;
        think_q  <= 8'd100;
        if (state_q inside {Idle, Zeroise}) begin
          state_q <= (state_q == Idle && jobs_i.job_valid && job_ready) ? Respond : Zeroise;
        end else if (state_q inside {Read, Think}) begin
          state_q <= Respond;
        end
        if (state_q != Write && !(state_q == Respond && status_q == StatusOk)) status_q <= StatusEmptySlot;
      end
    end
  end

endmodule
