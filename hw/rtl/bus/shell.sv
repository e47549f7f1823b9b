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
  ring_events_t   events, ring_events;
  logic           zeroise, hold;
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
    .settings_o (settings),
    .state_i    (state),
    .events_i   (events),
    .restart_o  (unused_restart),
    .zeroise_o  (zeroise),
    .zeroising_i(hold),
    .busy_i     (busy_cores_i),
    .irq_o
  );

  // The descriptor rings, source 0.
  logic                   wipe, dma_quiet;
  logic [1:0]             wiping;
  to_dispatcher_t [1:0]   sources;
  from_dispatcher_t [1:0] to_sources;

  dma #(
    .BusWidth    (BusWidth),
    .MaxBeats    (MaxBeats),
    .OperandWords(OperandWords),
    .InFlight    (InFlight)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .settings_i(settings),
    .hold_i    (hold),
    .wipe_i    (wipe),
    .wiping_o  (wiping[0]),
    .quiet_o   (dma_quiet),
    .state_o   (state),
    .events_o  (ring_events),
    .jobs_o    (sources[0]),
    .jobs_i    (to_sources[0]),
    .m_axi_o,
    .m_axi_wdata_o,
    .m_axi_wstrb_o,
    .m_axi_i,
    .m_axi_rdata_i
  );

  // The streams, source 1.
  logic stream_quiet, stream_answered, stream_failed;

  if (StreamPort) begin : gen_stream
    stream_port #(
      .OperandWords(OperandWords)
    ) u_stream (
      .clk_i,
      .rst_ni,
      .hold_i    (hold),
      .wipe_i    (wipe),
      .wiping_o  (wiping[1]),
      .quiet_o   (stream_quiet),
      .answered_o(stream_answered),
      .failed_o  (stream_failed),
      .s_axis_i,
      .s_axis_tready_o,
      .m_axis_o,
      .m_axis_tready_i,
      .jobs_o    (sources[1]),
      .jobs_i    (to_sources[1])
    );
  end else begin : gen_no_stream
    logic unused_stream;
    assign unused_stream   = &{s_axis_i, m_axis_tready_i, to_sources[1]};
    assign wiping[1]       = 1'b0;
    assign stream_quiet    = 1'b1;
    assign stream_answered = 1'b0;
    assign stream_failed   = 1'b0;
    assign s_axis_tready_o = 1'b0;
    assign m_axis_o        = '0;
    assign sources[1]      = '{job: sources[0].job, answer_ready: 1'b1, result_ready: 1'b1, default: '0};
  end

  job_mux u_jobs (
    .clk_i,
    .rst_ni,
    .sources_i(sources),
    .sources_o(to_sources),
    .jobs_o,
    .jobs_i
  );

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
  assign zeroise_o = (zeroise_state_q == Work && zeroise) || zeroise_state_q == Drain;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin  // SEC_CM: ERASE.RESET
      zeroise_state_q <= Start;
      start_q         <= '0;
      hold_q          <= 1'b1;
    end else begin
      start_q <= (zeroise_state_q == Start) ? start_q + 1'b1 : '0;
      unique case (zeroise_state_q)
        Work: if (zeroise) begin
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

  // Jobs of the streams count with the others.
  always_comb begin
    events        = ring_events;
    events.jobs   = ring_events.jobs + 2'(stream_answered);
    events.failed = ring_events.failed + 2'(stream_answered && stream_failed);
  end

endmodule
