// SPDX-License-Identifier: Apache-2.0
// The AXI4-Stream ports: jobs as packets, for a design that has its own data mover.
//
//   in     header word 0, header word 1, operands ...      tlast on the last word
//   out    answer word 0, answer word 1, result ...        tlast on the last word; in the order in which jobs end
//
// The header is the first two words of a descriptor; answer word 0 is tag 15:0, status 19:16; word 1 the core's cycles.
//   cycle           0    1    2    3    4    5    6    7    8    9    10        a packet with two operands
//   s_axis          h0   h1   d0   d1
//   s_axis_tready   1    1    1    1    0    1
//   job                                      J
//   operand                                                 d0        d1
//
//   cycle           0    1    2    3    4    5         and its answer             0    1    2    3    4        a refusal
//   answer          A                                        s_axis, the end      h
//   result                         r0   r1
//   m_axis               a0   a1   r0   r1                   m_axis                         a0   a1
//   answered_o                               1                                                        1
//
// A packet goes to a core when all of it is here, so that a slow sender holds up nobody. A packet that is too short, too
// long or has reserved bits set is read to its end and answered with an error; so is one of which a part is here when
// `hold_i` rises: its operands are forgotten at once, and the answer is StatusEmptySlot, as the keys are gone.
//
// Contract    AXI4-Stream: an offered word stays until it is taken. Every packet is answered exactly once. `wipe_i` comes
//             while `hold_i` is high, and behind reset or a cycle with `hold_i` and `quiet_o` and no operand inside.
//             Interfaces to the dispatcher: see `dispatcher`. All jobs and answers here are of source 1.
module stream_port
  import garner_pkg::*;
  import ring_pkg::*;
  import descriptor_pkg::*;
  import bus_pkg::*;
#(
  parameter int unsigned OperandWords = 512
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             hold_i,     // begin no further packet for now
  input  logic             wipe_i,     // overwrite the buffer
  output logic             wiping_o,
  output logic             quiet_o,    // nothing of a packet is between the port and its job's leaving, no answer half sent
  output logic             answered_o, // pulse: a packet was answered
  output logic             failed_o,   // with answered_o: with a status other than StatusOk

  input  axis_t            s_axis_i,
  output logic             s_axis_tready_o,
  output axis_t            m_axis_o,
  input  logic             m_axis_tready_i,

  output to_dispatcher_t   jobs_o,
  input  from_dispatcher_t jobs_i
);

  localparam int unsigned FreeWidth = $clog2(OperandWords) + 1;

  // In.
  typedef enum logic [2:0] {
    First,
    Second,
    Operands,
    Discard, // to the end of a packet that is refused: nothing of it is here
    Queue,
    Reject
  } in_state_e;

  in_state_e            in_state_q;
  logic [31:0]          first_q, second_q;
  status_e              status_q;
  logic [FreeWidth-1:0] words_q;       // operands taken
  logic                 at_limit_q;    // the next operand is the last one that fits
  logic [FreeWidth-1:0] unused_free;
  logic                 word, buffer_ready, job_ready, job_valid, too_long;
  logic                 cut;           // half a packet is dropped
  job_t                 job;
  logic                 reject_valid, reject_ready;

  assign job      = unpack_job(first_q, second_q);
  assign word     = s_axis_i.tvalid && s_axis_tready_o;
  // SEC_CM: JOB.REFUSED_WHILE_ERASING
  assign cut      = hold_i && (in_state_q == Second || (in_state_q == Operands && buffer_ready));
  assign too_long = at_limit_q && !s_axis_i.tlast;

  always_comb begin
    unique case (in_state_q)
      First, Second: s_axis_tready_o = !hold_i;
      Discard:       s_axis_tready_o = 1'b1;
      Operands:      s_axis_tready_o = buffer_ready && !hold_i;
      default:       s_axis_tready_o = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_state_q <= First;
      first_q    <= '0;
      second_q   <= '0;
      status_q   <= StatusOk;
      words_q    <= '0;
      at_limit_q <= 1'b0;
    end else begin
      unique case (in_state_q)
        First: if (word) begin
          first_q    <= s_axis_i.tdata;
          second_q   <= '0;
          words_q    <= '0;
          at_limit_q <= 1'b0;
          status_q   <= StatusBadLength;
          in_state_q <= s_axis_i.tlast ? Reject : Second;
        end
        Second: if (word) begin
          second_q <= s_axis_i.tdata;
          if (reserved_job_bits(first_q, s_axis_i.tdata)) begin
            status_q   <= StatusBadDescriptor;
            in_state_q <= s_axis_i.tlast ? Reject : Discard;
          end else if (s_axis_i.tlast) begin
            in_state_q <= has_operands(job.op) ? Reject : Queue;
          end else begin
            in_state_q <= has_operands(job.op) ? Operands : Discard;
          end
        end
        Operands: if (word) begin
          words_q    <= words_q + 1'b1;
          at_limit_q <= words_q == FreeWidth'(OperandWords - 2);
          if (s_axis_i.tlast) in_state_q <= Queue;
          else if (too_long) in_state_q <= Discard;
        end
        Discard: if (word && s_axis_i.tlast) in_state_q <= Reject;
        Queue: if (job_ready) in_state_q <= First;
        default: if (reject_ready) in_state_q <= First;
      endcase
      if (cut) begin
        status_q   <= StatusEmptySlot;
        in_state_q <= Discard;
      end
    end
  end

  assign job_valid    = in_state_q == Queue;
  assign reject_valid = in_state_q == Reject;

  packet_buffer #(
    .Depth(OperandWords)
  ) u_operands (
    .clk_i,
    .rst_ni,
    .in_valid_i ((s_axis_i.tvalid || hold_i) && in_state_q == Operands),
    .in_ready_o (buffer_ready),
    .in_data_i  (s_axis_i.tdata),
    .in_last_i  (s_axis_i.tlast || too_long || hold_i),
    .in_drop_i  (too_long || hold_i),
    .free_o     (unused_free),
    .out_valid_o(jobs_o.operand_valid),
    .out_ready_i(jobs_i.operand_ready),
    .out_data_o (jobs_o.operand.data),
    .out_last_o (jobs_o.operand.last),
    .wipe_i,
    .wiping_o
  );

  fifo #(
    .Width($bits(job_t)),
    .Depth(4)
  ) u_jobs (
    .clk_i,
    .rst_ni,
    .in_valid_i (job_valid),
    .in_ready_o (job_ready),
    .in_data_i  (job),
    .out_valid_o(jobs_o.job_valid),
    .out_ready_i(jobs_i.job_ready),
    .out_data_o (jobs_o.job)
  );

  // Out.
  typedef enum logic [1:0] {
    Idle,
    AnswerFirst,
    AnswerSecond,
    Result
  } out_state_e;

  out_state_e  out_state_q;
  ring_pkg::status_t out_status_q;
  logic [15:0] out_tag_q;
  logic [31:0] out_cycles_q;
  logic        has_result_q, answered_q;

  assign jobs_o.source       = 1'b1;
  assign jobs_o.answer_ready = out_state_q == Idle;
  assign reject_ready        = out_state_q == Idle && !jobs_i.answer_valid;
  assign jobs_o.result_ready = out_state_q == Result && m_axis_tready_i;

  completion_header_t           header;
  logic [HeaderWords-1:0][31:0] header_words;

  always_comb header = '{tag: out_tag_q, status: out_status_q, cycles: out_cycles_q, default: '0};
  assign header_words = header;

  always_comb begin
    m_axis_o.tvalid = 1'b1;
    m_axis_o.tlast  = 1'b0;
    unique case (out_state_q)
      AnswerFirst: m_axis_o.tdata = header_words[0];
      AnswerSecond: begin
        m_axis_o.tdata = header_words[1];
        m_axis_o.tlast = !has_result_q;
      end
      Result: begin
        m_axis_o.tvalid = jobs_i.result_valid;
        m_axis_o.tdata  = jobs_i.result.data;
        m_axis_o.tlast  = jobs_i.result.last;
      end
      default: begin
        m_axis_o.tvalid = 1'b0;
        m_axis_o.tdata  = '0;
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_state_q  <= Idle;
      out_status_q <= StatusOk;
      out_tag_q    <= '0;
      out_cycles_q <= '0;
      has_result_q <= 1'b0;
      answered_q   <= 1'b0;
    end else begin
      answered_q <= m_axis_o.tvalid && m_axis_tready_i && m_axis_o.tlast;
      unique case (out_state_q)
        Idle: if (jobs_i.answer_valid || reject_valid) begin
          out_state_q  <= AnswerFirst;
          out_status_q <= jobs_i.answer_valid ? jobs_i.answer.status : status_q;
          out_tag_q    <= jobs_i.answer_valid ? jobs_i.answer.tag : job.tag;
          out_cycles_q <= jobs_i.answer_valid ? jobs_i.answer.cycles : '0;
          has_result_q <= jobs_i.answer_valid && jobs_i.answer.has_result;
        end
        AnswerFirst: if (m_axis_tready_i) out_state_q <= AnswerSecond;
        AnswerSecond: if (m_axis_tready_i) out_state_q <= has_result_q ? Result : Idle;
        default: if (jobs_i.result_valid && m_axis_tready_i && jobs_i.result.last) out_state_q <= Idle;
      endcase
    end
  end

  assign answered_o = answered_q;
  assign failed_o   = out_status_q != StatusOk;
  assign quiet_o    = in_state_q inside {First, Discard} && !jobs_o.job_valid && !jobs_o.operand_valid && out_state_q == Idle;

  logic unused_source;
  assign unused_source = jobs_i.answer.source;

endmodule
