// SPDX-License-Identifier: Apache-2.0
// The descriptor-ring DMA: descriptors and operands in, results and completions out, all over one AXI4 master.
//
//   host memory --> dma_read --> descriptor_fetch --> packet_buffer, job queue --> jobs with operands --> dispatcher
//   host memory <-- dma_write <-- completion_write <------------------------------ answers with results <-- dispatcher
//
// A job of two operand words and two result words, 64-bit bus, a memory that answers in two cycles and never pauses:
//
//   cycle           0   ..  6   ..  9   ..  24  25  ..  30  ..  33  34  ..  36  ..  39  40  41
//   tail            +1
//   AR                      D                           O                                          descriptor, operands
//   words                           d0  ..  d15                 o0  o1
//   in_flight       0   ..  0   ..  0   ..  0   0   ..  1   ..  1   1   ..  1   ..  1   1   1     until it is completed
//   job                                                                     J                      with its operands in
//   operand                                                                         o0      o1     the packet buffer
//
//   cycle           0   1   2   3   4   5   6   ..  15  ..  18  19  ..  22  23
//   answer          A
//   result                  r0  r1
//   AW                                  R           C                          result, completion
//   W                                   r           c0      c1
//   B                                       ok                  ok
//   written                                                             1
//   tail                                                                    +1
//
// Jobs carry as tag the number of their context in context_table, which has InFlight places. Answers may come in any order.
//
// Contract    Every descriptor read ends in exactly one completion. `state_o.in_flight` counts those between.
//             Interfaces to the dispatcher: see `dispatcher`. All jobs and answers here are of source 0.
module dma
  import garner_pkg::*;
  import bus_pkg::*;
  import ring_control_pkg::*;
#(
  parameter int unsigned BusWidth     = 64,
  parameter int unsigned MaxBeats     = 64,
  parameter int unsigned OperandWords = 512,  // longest operand stream; the buffer holds one such or several shorter
  parameter int unsigned InFlight     = 16    // jobs between fetch and completion, a power of two
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  ring_settings_t        settings_i,
  input  logic                  hold_i,      // fetch no more for now
  input  logic                  wipe_i,      // overwrite the buffer; only while nothing is in flight
  output logic                  wiping_o,
  output logic                  quiet_o,     // nothing is in flight
  output ring_state_t           state_o,     // idle: quiet, and nothing is to be fetched
  output ring_events_t          events_o,

  output to_dispatcher_t        jobs_o,
  input  from_dispatcher_t      jobs_i,

  output axi_request_t          m_axi_o,
  output logic [BusWidth-1:0]   m_axi_wdata_o,
  output logic [BusWidth/8-1:0] m_axi_wstrb_o,
  input  axi_response_t         m_axi_i,
  input  logic [BusWidth-1:0]   m_axi_rdata_i
);

  if (InFlight < 2 || InFlight > 64 || (InFlight & (InFlight - 1)) != 0) begin : gen_bad_in_flight
    $fatal(1, "dma: InFlight must be a power of two, 2 to 64");
  end

  localparam int unsigned ContextWidth = $clog2(InFlight);
  localparam int unsigned FreeWidth    = $clog2(OperandWords) + 1;

  // The bus: the reader's half, the writer's half.
  axi_read_request_t   read_request;
  axi_read_response_t  read_response;
  axi_write_request_t  write_request;
  axi_write_response_t write_response;

  assign m_axi_o                         = {read_request, write_request};
  assign {read_response, write_response} = m_axi_i;

  // Reading.
  command_t   read_command;
  read_word_t read;
  logic       read_command_ready, read_command_id, read_ready, read_id, read_busy;

  dma_read #(
    .BusWidth(BusWidth),
    .MaxBeats(MaxBeats)
  ) u_read (
    .clk_i,
    .rst_ni,
    .command_i      (read_command),
    .command_ready_o(read_command_ready),
    .command_id_i   (read_command_id),
    .out_o          (read),
    .out_ready_i    (read_ready),
    .out_id_o       (read_id),
    .busy_o         (read_busy),
    .m_axi_o        (read_request),
    .m_axi_i        (read_response),
    .m_axi_rdata_i
  );

  // Contexts.
  logic [ContextWidth-1:0] free_index, fresh_index;
  logic                    free_valid, context_take;
  context_t                fresh_context, answer_context;

  context_table #(
    .Places(InFlight)
  ) u_contexts (
    .clk_i,
    .rst_ni,
    .free_valid_o    (free_valid),
    .free_index_o    (free_index),
    .take_i          (context_take),
    .take_index_i    (fresh_index),
    .take_context_i  (fresh_context),
    .answered_i      (jobs_i.answer_valid && jobs_o.answer_ready),
    .answer_index_i  (jobs_i.answer.tag[ContextWidth-1:0]),
    .answer_context_o(answer_context)
  );

  // Descriptors and operands.
  read_word_t           operand;
  logic [FreeWidth-1:0] operand_free;
  logic                 operand_ready, operand_fault;
  logic                 job_valid, job_ready, fetched, fetch_more, fetch_quiet, restart;
  logic                 job_waits, job_taken;
  job_t                 job, job_next;
  reject_t              reject;
  logic                 reject_ready;

  descriptor_fetch #(
    .OperandWords(OperandWords),
    .InFlight    (InFlight)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .enable_i          (settings_i.enable),
    .hold_i,
    .restart_i         (restart),
    .ring_i            (settings_i.submission),
    .head_o            (state_o.submission_head),
    .overrun_o         (state_o.submission_overrun),
    .fetched_o         (fetched),
    .more_o            (fetch_more),
    .quiet_o           (fetch_quiet),
    .command_o         (read_command),
    .command_ready_i   (read_command_ready),
    .command_id_o      (read_command_id),
    .read_i            (read),
    .read_ready_o      (read_ready),
    .read_id_i         (read_id),
    .operand_o         (operand),
    .operand_ready_i   (operand_ready),
    .operand_free_i    (operand_free),
    .context_valid_i   (free_valid),
    .context_index_i   (free_index),
    .context_take_o    (context_take),
    .context_index_o   (fresh_index),
    .context_o         (fresh_context),
    .job_valid_o       (job_valid),
    .job_ready_i       (job_ready),
    .job_o             (job),
    .reject_o          (reject),
    .reject_ready_i    (reject_ready),
    .descriptor_fault_o(events_o.descriptor_fault),
    .operand_fault_o   (operand_fault)
  );

  packet_buffer #(
    .Depth(OperandWords)
  ) u_operands (
    .clk_i,
    .rst_ni,
    .in_valid_i (operand.valid),
    .in_ready_o (operand_ready),
    .in_data_i  (operand.data),
    .in_last_i  (operand.last),
    .in_drop_i  (operand.error),
    .free_o     (operand_free),
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
    .out_valid_o(job_waits),
    .out_ready_i(job_taken),
    .out_data_o (job_next)
  );

  stage #(
    .Width($bits(job_t))
  ) u_job (
    .clk_i,
    .rst_ni,
    .in_valid_i (job_waits),
    .in_ready_o (job_taken),
    .in_data_i  (job_next),
    .out_valid_o(jobs_o.job_valid),
    .out_ready_i(jobs_i.job_ready),
    .out_data_o (jobs_o.job)
  );
  assign jobs_o.source = 1'b0;

  // Results and completions.
  command_t    write_command;
  write_word_t write;
  logic        write_command_ready, write_ready, write_done, write_end, write_error, write_busy;
  logic        result_fault, written_failed;

  completion_write u_complete (
    .clk_i,
    .rst_ni,
    .restart_i         (restart),
    .ring_i            (settings_i.completion),
    .tail_o            (state_o.completion_tail),
    .overrun_o         (state_o.completion_overrun),
    .submission_head_i (state_o.submission_head),
    .written_o         (events_o.written),
    .interrupt_o       (events_o.written_interrupt),
    .failed_o          (written_failed),
    .answer_valid_i    (jobs_i.answer_valid),
    .answer_ready_o    (jobs_o.answer_ready),
    .answer_i          (jobs_i.answer),
    .context_i         (answer_context),
    .result_valid_i    (jobs_i.result_valid),
    .result_ready_o    (jobs_o.result_ready),
    .result_i          (jobs_i.result),
    .reject_i          (reject),
    .reject_ready_o    (reject_ready),
    .command_o         (write_command),
    .command_ready_i   (write_command_ready),
    .write_o           (write),
    .write_ready_i     (write_ready),
    .write_done_i      (write_done),
    .write_end_o       (write_end),
    .write_error_i     (write_error),
    .result_fault_o    (result_fault),
    .completion_fault_o(events_o.completion_fault)
  );

  dma_write #(
    .BusWidth(BusWidth),
    .MaxBeats(MaxBeats)
  ) u_write (
    .clk_i,
    .rst_ni,
    .command_i      (write_command),
    .command_ready_o(write_command_ready),
    .in_i           (write),
    .in_ready_o     (write_ready),
    .done_valid_o   (write_done),
    .done_ready_i   (write_end),
    .error_o        (write_error),
    .busy_o         (write_busy),
    .m_axi_o        (write_request),
    .m_axi_wdata_o,
    .m_axi_wstrb_o,
    .m_axi_i        (write_response)
  );

  // What is under way.
  logic [7:0] in_flight_q;
  logic       in_flight_any_q, drained_q, more;
  logic       read_beat_q, write_beat_q;
  logic       fetched_q;  // a cycle ago: the count is far from the reader; a completion takes longer than this

  assign more                = settings_i.enable && fetch_more;
  assign quiet_o             = fetch_quiet && !in_flight_any_q;
  assign restart             = !settings_i.enable && state_o.idle;
  assign state_o.idle        = quiet_o && (!more || state_o.submission_overrun);
  assign state_o.in_flight   = in_flight_q;
  assign events_o.jobs       = 2'(events_o.written);
  assign events_o.failed     = 2'(events_o.written && written_failed);
  assign events_o.drained    = drained_q;
  assign events_o.data_fault = operand_fault || result_fault;
  assign events_o.bus_busy   = read_busy || write_busy;
  assign events_o.bus_beats  = 2'(read_beat_q) + 2'(write_beat_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fetched_q       <= 1'b0;
      in_flight_q     <= '0;
      in_flight_any_q <= 1'b0;
      drained_q       <= 1'b0;
      read_beat_q     <= 1'b0;
      write_beat_q    <= 1'b0;
    end else begin
      read_beat_q     <= m_axi_i.rvalid && m_axi_o.rready;
      write_beat_q    <= m_axi_o.wvalid && m_axi_i.wready;
      fetched_q       <= fetched;
      in_flight_q     <= in_flight_q + 8'(fetched_q) - 8'(events_o.written);
      in_flight_any_q <= fetched_q || (in_flight_any_q && !(events_o.written && in_flight_q == 8'd1));
      drained_q       <= events_o.written && in_flight_q == 8'd1 && fetch_quiet && !more;
    end
  end

endmodule
