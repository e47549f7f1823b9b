// SPDX-License-Identifier: Apache-2.0
// The host's hold on an engine's rings: the registers, and what becomes of events there: interrupts, errors, counters.
// Used by shell and aes_core; the rings themselves are elsewhere (descriptor fetch, completion_write).
//
//   cycle       0    1    2
//   event       E                        of a completion that is marked, the last one of the ring, a fault
//   STATUS           1                   INTERRUPT_STATUS, ERROR, as soon as the coalescer lets it through
//   irq_o            1                   if INTERRUPT_ENABLE has it
//
// Contract    AXI4-Lite as in `registers`. `restart_o`: the rings begin anew, as they are disabled and idle.
module ring_control
  import bus_pkg::*;
  import ring_control_pkg::*;
#(
  parameter ring_pkg::capability_t Capability = '0
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  input  axil_request_t  s_axil_i,
  output axil_response_t s_axil_o,

  output ring_settings_t settings_o,
  input  ring_state_t    state_i,
  input  ring_events_t   events_i,
  output logic           restart_o,
  output logic           zeroise_o,   // pulse
  input  logic           zeroising_i,
  input  logic [5:0]     busy_i,      // cores at work

  output logic [2:0]     irq_o       // completion, idle, error; levels
);

  garner_regs_pkg::garner_regs__in_t  set;
  garner_regs_pkg::garner_regs__out_t is;

  registers u_registers (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr_i (s_axil_i.awaddr),
    .s_axil_awvalid_i(s_axil_i.awvalid),
    .s_axil_awready_o(s_axil_o.awready),
    .s_axil_wdata_i  (s_axil_i.wdata),
    .s_axil_wstrb_i  (s_axil_i.wstrb),
    .s_axil_wvalid_i (s_axil_i.wvalid),
    .s_axil_wready_o (s_axil_o.wready),
    .s_axil_bresp_o  (s_axil_o.bresp),
    .s_axil_bvalid_o (s_axil_o.bvalid),
    .s_axil_bready_i (s_axil_i.bready),
    .s_axil_araddr_i (s_axil_i.araddr),
    .s_axil_arvalid_i(s_axil_i.arvalid),
    .s_axil_arready_o(s_axil_o.arready),
    .s_axil_rdata_o  (s_axil_o.rdata),
    .s_axil_rresp_o  (s_axil_o.rresp),
    .s_axil_rvalid_o (s_axil_o.rvalid),
    .s_axil_rready_i (s_axil_i.rready),
    .set_i           (set),
    .is_o            (is)
  );

  assign settings_o = '{
    enable:     is.CONTROL.enable.value,
    submission: '{base: {is.SUBMISSION_BASE_HIGH.value.value, is.SUBMISSION_BASE_LOW.value.value, 6'd0},
                  log2: is.SUBMISSION_SIZE.log2.value, tail: is.SUBMISSION_TAIL.index.value},
    completion: '{base: {is.COMPLETION_BASE_HIGH.value.value, is.COMPLETION_BASE_LOW.value.value, 4'd0},
                  log2: is.COMPLETION_SIZE.log2.value, head: is.COMPLETION_HEAD.index.value}
  };
  assign restart_o  = !is.CONTROL.enable.value && state_i.idle;
  assign zeroise_o  = is.CONTROL.zeroise.value;

  logic       raise, overrun_begins;
  logic [1:0] overrun, overrun_q;  // of either ring, as one may begin during the other

  assign overrun        = {state_i.submission_overrun, state_i.completion_overrun} & {2{is.CONTROL.enable.value}};
  assign overrun_begins = |(overrun & ~overrun_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) overrun_q <= '0;
    else overrun_q <= overrun;
  end

  interrupt_coalescer u_coalescer (
    .clk_i,
    .rst_ni,
    .clear_i  (restart_o),  // not before: what was fetched is completed, and told, when the rings are disabled
    .count_i  (is.INTERRUPT_COALESCE.count.value),
    .cycles_i (is.INTERRUPT_COALESCE.cycles.value),
    .written_i(events_i.written),
    .marked_i (events_i.written_interrupt),
    .raise_o  (raise)
  );

  assign irq_o = {is.INTERRUPT_STATUS.error.value && is.INTERRUPT_ENABLE.error.value,
                  is.INTERRUPT_STATUS.idle.value && is.INTERRUPT_ENABLE.idle.value,
                  is.INTERRUPT_STATUS.completion.value && is.INTERRUPT_ENABLE.completion.value};

  counters #(
    .BusyWidth(6)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .clear_i           (is.CONTROL.clear_counters.value),
    .jobs_i            (events_i.jobs),
    .failed_i          (events_i.failed),
    .busy_cores_i      (busy_i),
    .bus_busy_i        (events_i.bus_busy),
    .bus_beats_i       (events_i.bus_beats),
    .cycles_o          (set.CYCLES.value.next),
    .jobs_o            (set.JOBS.value.next),
    .failed_o          (set.JOBS_FAILED.value.next),
    .busy_core_cycles_o(set.BUSY_CORE_CYCLES.value.next),
    .bus_cycles_o      (set.BUS_CYCLES.value.next),
    .bus_beats_o       (set.BUS_BEATS.value.next)
  );

  assign set.CAPABILITY_CORES.cores.next              = Capability.cores;
  assign set.CAPABILITY_CORES.key_slots.next          = Capability.key_slots;
  assign set.CAPABILITY_CORES.in_flight.next          = Capability.in_flight;
  assign set.CAPABILITY_CORES.stream.next             = Capability.stream;
  assign set.CAPABILITY_CORES.bus_width.next          = Capability.bus_width;
  assign set.CAPABILITY_ARITHMETIC.max_bits.next      = Capability.max_bits;
  assign set.CAPABILITY_ARITHMETIC.word_bits.next     = Capability.word_bits;
  assign set.CAPABILITY_ARITHMETIC.rows.next          = Capability.rows;
  assign set.CAPABILITY_MONTGOMERY.r_step.next        = Capability.r_step;
  assign set.CAPABILITY_MONTGOMERY.operand_words.next = Capability.operand_words;
  assign set.STATUS.idle.next                         = state_i.idle;
  assign set.STATUS.zeroising.next                    = zeroising_i;
  assign set.STATUS.submission_overrun.next           = state_i.submission_overrun;
  assign set.STATUS.completion_overrun.next           = state_i.completion_overrun;
  assign set.STATUS.in_flight.next                    = state_i.in_flight;
  assign set.INTERRUPT_STATUS.completion.hwset        = raise;
  assign set.INTERRUPT_STATUS.idle.hwset              = events_i.drained;
  assign set.INTERRUPT_STATUS.error.hwset             = events_i.descriptor_fault || events_i.data_fault ||
                                                        events_i.completion_fault || overrun_begins;
  assign set.ERROR.descriptor_fault.hwset             = events_i.descriptor_fault;
  assign set.ERROR.data_fault.hwset                   = events_i.data_fault;
  assign set.ERROR.completion_fault.hwset             = events_i.completion_fault;
  assign set.ERROR.overrun.hwset                      = overrun_begins;
  assign set.SUBMISSION_HEAD.index.next               = state_i.submission_head;
  assign set.COMPLETION_TAIL.index.next               = state_i.completion_tail;

endmodule
