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
  input  logic        job_valid_i,
  output logic        job_ready_o,
  input  job_t        job_i,
  input  logic        in_valid_i,
  output logic        in_ready_o,
  input  logic [31:0] in_data_i,
  input  logic        in_last_i,
  output logic        response_valid_o,
  input  logic        response_ready_i,
  output response_t   response_o,
  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [31:0] out_data_o,
  output logic        out_last_o,
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

  initial sick_q = 1'b0;

  assign key = key_q[job_q.slot[SlotWidth-1:0]];
  always_comb begin
    refusal = StatusOk;
    if (zeroise_i) begin
      refusal = StatusEmptySlot;
    end else if (!(job_i.op inside {OpLoadModulus, OpLoadKey, OpMultiply, OpExponentiate, OpPrivate, OpZeroise})) begin
      refusal = StatusBadOp;
    end else if (job_i.slot >= 8'(KeySlots)) begin
      refusal = StatusBadSlot;
    end else if (has_result(job_i.op) && !loaded_q[job_i.slot[SlotWidth-1:0]]) begin
      refusal = StatusEmptySlot;
    end
  end

  assign job_ready_o      = state_q == Idle && !reading_q && random_q[3];
  assign in_ready_o       = reading_q && random_q[7];
  assign response_valid_o = state_q == Respond;
  assign response_o       = '{status: status_q, tag: job_q.tag};
  assign out_valid_o      = state_q == Write && random_q[5] || (state_q == Write && read_q != '0);
  assign out_last_o       = read_q == length_q - 1'b1;
  assign busy_o           = state_q inside {Read, Think};
  always_comb begin
    unique case (job_q.op)
      OpMultiply:     out_data_o = memory_q[read_q[8:0]] + memory_q[read_q[8:0] + length_q[8:0]] + key;
      OpExponentiate: out_data_o = sum_q + key;
      default:        out_data_o = memory_q[read_q[8:0]] + key + 32'(read_q);
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
      random_q <= {random_q[30:0], random_q[31] ^ random_q[21] ^ random_q[1] ^ random_q[0]} ^ {31'd0, in_valid_i};
      if (reading_q && in_valid_i && in_ready_o) begin
        if (status_q == StatusOk) memory_q[count_q[8:0]] <= in_data_i;
        count_q <= count_q + 1'b1;
        sum_q   <= sum_q + in_data_i;
        if (count_q == '0 && job_q.op inside {OpLoadModulus, OpLoadKey} && !in_data_i[0]) status_q <= StatusBadModulus;
        if (in_last_i) reading_q <= 1'b0;
      end
      unique case (state_q)
        Idle: begin
          count_q <= '0;
          read_q  <= '0;
          sum_q   <= '0;
          if (job_valid_i && job_ready_o) begin
            job_q     <= job_i;
            reading_q <= has_operands(job_i.op);
            status_q  <= refusal;
            state_q   <= (refusal != StatusOk) ? Respond : has_operands(job_i.op) ? Read : Think;
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
        Respond: if (response_ready_i) state_q <= (has_result(job_q.op) && status_q == StatusOk) ? Write : Idle;
        Write: if (out_valid_o && out_ready_i) begin
          read_q <= read_q + 1'b1;
          if (out_last_o) state_q <= Idle;
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
          state_q <= (state_q == Idle && job_valid_i && job_ready_o) ? Respond : Zeroise;
        end else if (state_q inside {Read, Think}) begin
          state_q <= Respond;
        end
        if (state_q != Write && !(state_q == Respond && status_q == StatusOk)) status_q <= StatusEmptySlot;
      end
    end
  end

endmodule
