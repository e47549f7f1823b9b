// SPDX-License-Identifier: Apache-2.0
// The shell: everything between a bus and a dispatcher of cores. Registers, descriptor rings, streams, interrupts,
// counters. It knows a job, its operands, an answer and its result, and nothing of what a core computes.
//
//   AXI4-Lite -- ring_control -+-- settings, counters, interrupts
//   AXI4 ------- dma ----------+
//                              +-- job_mux --> jobs with operands
//   AXI4-Stream  stream_port --+          <-- answers with results, to where their job came from
//
// Zeroise (CONTROL.zeroise): `zeroise_o` rises at once: running jobs end, the slots are empty, and what waits for a core
// is refused by it. No further descriptor or packet is begun, half a packet is dropped. When every job taken is answered
// the operand buffers are overwritten; when the cores are ready again, work goes on. Reset comes in where all jobs have
// been answered (n+1), as the cores overwrite their memories by themselves then.
//
//   cycle              0    1   ..   n    n+1  n+2  ..  n+10 ..   m    m+1
//   CONTROL.zeroise    1
//   zeroise_o          1    1   ..   1    0    0
//   hold               0    1   ..   1    1    1    ..   1   ..   1    0      STATUS.zeroising
//   quiet                            1                                        all answered; at the earliest in cycle 1
//   wipe                                  1                                   of the operand buffers
//   cores_ready_i                                                 1           looked at from n+10 on, with the buffers
//
// Contract    The capability registers hold what was built: KeySlots and Rows at most 255, OperandWords at most 32768.
//             Ports of AXI as in the standard; one clock; reset asserts at any time and is released synchronously.
//             The interface to the dispatcher: see there.
module shell
  import garner_pkg::*;
  import bus_pkg::*;
  import ring_control_pkg::*;
#(
  parameter int unsigned Cores        = 1,   // for the capability registers, as are the next four
  parameter int unsigned KeySlots     = 4,
  parameter int unsigned MaxBits      = 4096,
  parameter int unsigned WordBits     = 18,
  parameter int unsigned Rows         = 15,
  parameter int unsigned BusWidth     = 64,  // of the AXI4 master: 32 or 64
  parameter int unsigned MaxBeats     = 64,  // longest burst
  parameter int unsigned OperandWords = 512, // longest operand stream
  parameter int unsigned InFlight     = 16,  // jobs between fetch and completion, a power of two
  parameter bit          StreamPort   = 1'b1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  axil_request_t         s_axil_i,
  output axil_response_t        s_axil_o,

  output axi_request_t          m_axi_o,
  output logic [BusWidth-1:0]   m_axi_wdata_o,
  output logic [BusWidth/8-1:0] m_axi_wstrb_o,
  input  axi_response_t         m_axi_i,
  input  logic [BusWidth-1:0]   m_axi_rdata_i,

  input  axis_t                 s_axis_i,
  output logic                  s_axis_tready_o,
  output axis_t                 m_axis_o,
  input  logic                  m_axis_tready_i,

  output logic [2:0]            irq_o,            // completion, idle, error: levels, as INTERRUPT_STATUS & _ENABLE

  // to the dispatcher and the cores
  output to_dispatcher_t        jobs_o,
  input  from_dispatcher_t      jobs_i,
  input  logic                  dispatcher_idle_i,
  input  logic                  cores_ready_i,    // all would take a job
  output logic                  zeroise_o,
  input  logic [5:0]            busy_cores_i
);

  // One slot fewer than job_t.slot can name and rsa_core takes: the register holds the count, not the highest number.
  if (KeySlots < 1 || KeySlots > 255) begin : gen_bad_slots
    $fatal(1, "shell: KeySlots must be 1 to 255, as the capability register has 8 bits for it");
  end
  if (Rows > 255) begin : gen_bad_rows
    $fatal(1, "shell: Rows must be at most 255, as the capability register has 8 bits for it");
  end
  if (OperandWords > 32768) begin : gen_bad_operand_words
    $fatal(1, "shell: OperandWords must be at most 32768, as the capability register and commands have 16 bits for it");
  end

  ring_settings_t settings;
  ring_state_t    state;
  ring_events_t   events;
  logic           unused_restart;  // dma finds it by itself

  ring_control #(
    .Capability('{cores: 8'(Cores), key_slots: 8'(KeySlots), in_flight: 8'(InFlight), stream: StreamPort,
                  bus_width: 2'($clog2(BusWidth / 32)), max_bits: 16'(MaxBits), word_bits: 8'(WordBits), rows: 8'(Rows),
                  r_step: 16'(WordBits * Rows), operand_words: 16'(OperandWords)})
  ) u_control (
    .clk_i,
    .rst_ni,
    .s_axil_i,
    .s_axil_o,
    .settings_o(settings),
    .state_i   (state),
    .events_i  (events),
    .restart_o (unused_restart),
    .irq_o
  );

  // The descriptor rings, source 0.
  logic             hold, wipe;
  logic [1:0]       wiping;
  logic             dma_quiet, written_failed;
  logic [1:0]       job_valid, job_ready, operand_valid, operand_ready, operand_last;
  job_t [1:0]       job;
  logic [1:0][31:0] operand_data;
  logic [1:0]       answer_ready, result_ready;
  logic             result_source_q;  // whom the result words belong to

  dma #(
    .BusWidth    (BusWidth),
    .MaxBeats    (MaxBeats),
    .OperandWords(OperandWords),
    .InFlight    (InFlight)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .enable_i            (settings.enable),
    .hold_i              (hold),
    .wipe_i              (wipe),
    .wiping_o            (wiping[0]),
    .quiet_o             (dma_quiet),
    .idle_o              (state.idle),
    .drained_o           (events.drained),
    .in_flight_o         (state.in_flight),
    .submission_base_i   (settings.submission_base),
    .submission_log2_i   (settings.submission_log2),
    .submission_tail_i   (settings.submission_tail),
    .submission_head_o   (state.submission_head),
    .submission_overrun_o(state.submission_overrun),
    .completion_base_i   (settings.completion_base),
    .completion_log2_i   (settings.completion_log2),
    .completion_head_i   (settings.completion_head),
    .completion_tail_o   (state.completion_tail),
    .completion_overrun_o(state.completion_overrun),
    .written_o           (events.written),
    .written_interrupt_o (events.written_interrupt),
    .written_failed_o    (written_failed),
    .descriptor_fault_o  (events.descriptor_fault),
    .data_fault_o        (events.data_fault),
    .completion_fault_o  (events.completion_fault),
    .bus_busy_o          (events.bus_busy),
    .bus_beats_o         (events.bus_beats),
    .job_valid_o         (job_valid[0]),
    .job_ready_i         (job_ready[0]),
    .job_o               (job[0]),
    .operand_valid_o     (operand_valid[0]),
    .operand_ready_i     (operand_ready[0]),
    .operand_data_o      (operand_data[0]),
    .operand_last_o      (operand_last[0]),
    .answer_valid_i      (jobs_i.answer_valid && !jobs_i.answer.source),
    .answer_ready_o      (answer_ready[0]),
    .answer_i            (jobs_i.answer),
    .result_valid_i      (jobs_i.result_valid && !result_source_q),
    .result_ready_o      (result_ready[0]),
    .result_data_i       (jobs_i.result.data),
    .result_last_i       (jobs_i.result.last),
    .m_axi_araddr_o      (m_axi_o.araddr),
    .m_axi_arlen_o       (m_axi_o.arlen),
    .m_axi_arvalid_o     (m_axi_o.arvalid),
    .m_axi_arready_i     (m_axi_i.arready),
    .m_axi_rdata_i,
    .m_axi_rresp_i       (m_axi_i.rresp),
    .m_axi_rlast_i       (m_axi_i.rlast),
    .m_axi_rvalid_i      (m_axi_i.rvalid),
    .m_axi_rready_o      (m_axi_o.rready),
    .m_axi_awaddr_o      (m_axi_o.awaddr),
    .m_axi_awlen_o       (m_axi_o.awlen),
    .m_axi_awvalid_o     (m_axi_o.awvalid),
    .m_axi_awready_i     (m_axi_i.awready),
    .m_axi_wdata_o,
    .m_axi_wstrb_o,
    .m_axi_wlast_o       (m_axi_o.wlast),
    .m_axi_wvalid_o      (m_axi_o.wvalid),
    .m_axi_wready_i      (m_axi_i.wready),
    .m_axi_bresp_i       (m_axi_i.bresp),
    .m_axi_bvalid_i      (m_axi_i.bvalid),
    .m_axi_bready_o      (m_axi_o.bready)
  );

  // The streams, source 1.
  logic stream_quiet, stream_answered, stream_failed;

  if (StreamPort) begin : gen_stream
    stream_port #(
      .OperandWords(OperandWords)
    ) u_stream (
      .clk_i,
      .rst_ni,
      .hold_i         (hold),
      .wipe_i         (wipe),
      .wiping_o       (wiping[1]),
      .quiet_o        (stream_quiet),
      .answered_o     (stream_answered),
      .failed_o       (stream_failed),
      .s_axis_tdata_i (s_axis_i.tdata),
      .s_axis_tlast_i (s_axis_i.tlast),
      .s_axis_tvalid_i(s_axis_i.tvalid),
      .s_axis_tready_o,
      .m_axis_tdata_o (m_axis_o.tdata),
      .m_axis_tlast_o (m_axis_o.tlast),
      .m_axis_tvalid_o(m_axis_o.tvalid),
      .m_axis_tready_i,
      .job_valid_o    (job_valid[1]),
      .job_ready_i    (job_ready[1]),
      .job_o          (job[1]),
      .operand_valid_o(operand_valid[1]),
      .operand_ready_i(operand_ready[1]),
      .operand_data_o (operand_data[1]),
      .operand_last_o (operand_last[1]),
      .answer_valid_i (jobs_i.answer_valid && jobs_i.answer.source),
      .answer_ready_o (answer_ready[1]),
      .answer_i       (jobs_i.answer),
      .result_valid_i (jobs_i.result_valid && result_source_q),
      .result_ready_o (result_ready[1]),
      .result_data_i  (jobs_i.result.data),
      .result_last_i  (jobs_i.result.last)
    );
  end else begin : gen_no_stream
    logic unused_stream;
    assign unused_stream   = &{s_axis_i, m_axis_tready_i, job_ready[1], operand_ready[1]};
    assign wiping[1]       = 1'b0;
    assign stream_quiet    = 1'b1;
    assign stream_answered = 1'b0;
    assign stream_failed   = 1'b0;
    assign s_axis_tready_o = 1'b0;
    assign m_axis_o        = '0;
    assign job_valid[1]     = 1'b0;
    assign job[1]           = job[0];
    assign operand_valid[1] = 1'b0;
    assign operand_data[1]  = '0;
    assign operand_last[1]  = 1'b0;
    assign answer_ready[1]  = 1'b1;
    assign result_ready[1]  = 1'b1;
  end

  job_mux u_jobs (
    .clk_i,
    .rst_ni,
    .job_valid_i    (job_valid),
    .job_ready_o    (job_ready),
    .job_i          (job),
    .operand_valid_i(operand_valid),
    .operand_ready_o(operand_ready),
    .operand_data_i (operand_data),
    .operand_last_i (operand_last),
    .job_valid_o    (jobs_o.job_valid),
    .job_ready_i    (jobs_i.job_ready),
    .job_o          (jobs_o.job),
    .source_o       (jobs_o.source),
    .operand_valid_o(jobs_o.operand_valid),
    .operand_ready_i(jobs_i.operand_ready),
    .operand_data_o (jobs_o.operand.data),
    .operand_last_o (jobs_o.operand.last)
  );

  assign jobs_o.answer_ready = answer_ready[jobs_i.answer.source];
  assign jobs_o.result_ready = result_ready[result_source_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) result_source_q <= 1'b0;
    else if (jobs_i.answer_valid && jobs_o.answer_ready) result_source_q <= jobs_i.answer.source;  // SEC_CM: JOB.OWN_ANSWER
  end

  // Zeroising.
  typedef enum logic [1:0] {
    Work,
    Drain,  // until all taken jobs are answered
    Start,  // nine cycles, in which the cores see it and show it
    Wait    // until cores and buffers are through
  } zeroise_state_e;

  zeroise_state_e zeroise_state_q;
  logic [3:0]     start_q;  // cycles in Start
  logic           quiet;
  logic           hold_q;   // the state is not Work

  assign quiet     = dma_quiet && stream_quiet && dispatcher_idle_i;
  assign hold      = hold_q;
  assign wipe      = zeroise_state_q == Start && start_q == '0;  // SEC_CM: ERASE.OPERAND_BUFFER
  // SEC_CM: ERASE.CONTROL
  assign zeroise_o = (zeroise_state_q == Work && settings.zeroise) || zeroise_state_q == Drain;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin  // SEC_CM: ERASE.RESET
      zeroise_state_q <= Start;
      start_q         <= '0;
      hold_q          <= 1'b1;
    end else begin
      start_q <= (zeroise_state_q == Start) ? start_q + 1'b1 : '0;
      unique case (zeroise_state_q)
        Work: if (settings.zeroise) begin
          zeroise_state_q <= Drain;
          hold_q          <= 1'b1;
        end
        Drain: if (quiet) zeroise_state_q <= Start;
        Start: if (start_q[3]) zeroise_state_q <= Wait;
        default: if (cores_ready_i && wiping == '0) begin
          zeroise_state_q <= Work;
          hold_q          <= 1'b0;
        end
      endcase
    end
  end

  // Interrupts, errors, counters: those of the streams count with the others.
  assign state.zeroising = hold;
  assign events.busy     = busy_cores_i;
  assign events.jobs     = 2'(events.written) + 2'(stream_answered);
  assign events.failed   = 2'(events.written && written_failed) + 2'(stream_answered && stream_failed);

endmodule
