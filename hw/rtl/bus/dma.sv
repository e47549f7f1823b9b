// SPDX-License-Identifier: Apache-2.0
// The descriptor-ring DMA: descriptors and operands in, results and completions out, all over one AXI4 master.
//
//   host memory --> dma_read --> descriptor_fetch --> packet_buffer, job queue --> jobs with operands --> dispatcher
//   host memory <-- dma_write <-- completion_write <------------------------------ answers with results <-- dispatcher
//
// A job of two operand words and two result words, 64-bit bus, a memory that answers in two cycles and never pauses:
//
//   cycle           0   ..  6   ..  9   ..  24  25  ..  30  ..  33  34  ..  36  ..  39  40  41
//   tail_i          +1
//   AR                      D                           O                                          descriptor, operands
//   words                           d0  ..  d15                 o0  o1
//   in_flight_o     0   ..  0   ..  0   ..  0   0   ..  1   ..  1   1   ..  1   ..  1   1   1     until it is completed
//   job_o                                                                   J                      with its operands in
//   operand_o                                                                       o0      o1     the packet buffer
//
//   cycle           0   1   2   3   4   5   6   ..  15  ..  18  19  ..  22  23
//   answer          A
//   result                  r0  r1
//   AW                                  R           C                          result, completion
//   W                                   r           c0      c1
//   B                                       ok                  ok
//   written_o                                                           1
//   tail_o                                                                  +1
//
// Jobs carry as tag the number of their context in context_table, which has InFlight places. Answers may come in any order.
//
// Contract    Every descriptor read ends in exactly one completion. `in_flight_o` counts those between.
//             Interfaces to the dispatcher: see `dispatcher`. All jobs and answers here are of source 0.
module dma
  import garner_pkg::*;
  import bus_pkg::*;
#(
  parameter int unsigned BusWidth     = 64,
  parameter int unsigned MaxBeats     = 64,
  parameter int unsigned OperandWords = 512,  // longest operand stream; the buffer holds one such or several shorter
  parameter int unsigned InFlight     = 16    // jobs between fetch and completion, a power of two
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  enable_i,
  input  logic                  hold_i,              // fetch no more for now
  input  logic                  wipe_i,              // overwrite the buffer; only while nothing is in flight
  output logic                  wiping_o,
  output logic                  quiet_o,             // nothing is in flight
  output logic                  idle_o,              // quiet, and nothing is to be fetched
  output logic                  drained_o,           // pulse: the last descriptor there is was completed
  output logic [7:0]            in_flight_o,

  input  logic [63:0]           submission_base_i,
  input  logic [3:0]            submission_log2_i,
  input  logic [15:0]           submission_tail_i,
  output logic [15:0]           submission_head_o,
  output logic                  submission_overrun_o,
  input  logic [63:0]           completion_base_i,
  input  logic [3:0]            completion_log2_i,
  input  logic [15:0]           completion_head_i,
  output logic [15:0]           completion_tail_o,
  output logic                  completion_overrun_o,
  output logic                  written_o,           // pulse: a completion was written
  output logic                  written_interrupt_o, // with written_o: marked
  output logic                  written_failed_o,    // with written_o: status other than StatusOk
  output logic                  descriptor_fault_o,
  output logic                  data_fault_o,
  output logic                  completion_fault_o,
  output logic                  bus_busy_o,          // a transaction is under way
  output logic [1:0]            bus_beats_o,         // data beats moved in the cycle before

  output logic                  job_valid_o,
  input  logic                  job_ready_i,
  output job_t                  job_o,
  output logic                  operand_valid_o,
  input  logic                  operand_ready_i,
  output logic [31:0]           operand_data_o,
  output logic                  operand_last_o,
  input  logic                  answer_valid_i,
  output logic                  answer_ready_o,
  input  answer_t               answer_i,
  input  logic                  result_valid_i,
  output logic                  result_ready_o,
  input  logic [31:0]           result_data_i,
  input  logic                  result_last_i,

  output logic [63:0]           m_axi_araddr_o,
  output logic [7:0]            m_axi_arlen_o,
  output logic                  m_axi_arvalid_o,
  input  logic                  m_axi_arready_i,
  input  logic [BusWidth-1:0]   m_axi_rdata_i,
  input  logic [1:0]            m_axi_rresp_i,
  input  logic                  m_axi_rlast_i,
  input  logic                  m_axi_rvalid_i,
  output logic                  m_axi_rready_o,
  output logic [63:0]           m_axi_awaddr_o,
  output logic [7:0]            m_axi_awlen_o,
  output logic                  m_axi_awvalid_o,
  input  logic                  m_axi_awready_i,
  output logic [BusWidth-1:0]   m_axi_wdata_o,
  output logic [BusWidth/8-1:0] m_axi_wstrb_o,
  output logic                  m_axi_wlast_o,
  output logic                  m_axi_wvalid_o,
  input  logic                  m_axi_wready_i,
  input  logic [1:0]            m_axi_bresp_i,
  input  logic                  m_axi_bvalid_i,
  output logic                  m_axi_bready_o
);

  if (InFlight < 2 || InFlight > 64 || (InFlight & (InFlight - 1)) != 0) begin : gen_bad_in_flight
    $fatal(1, "dma: InFlight must be a power of two, 2 to 64");
  end

  localparam int unsigned ContextWidth = $clog2(InFlight);
  localparam int unsigned FreeWidth    = $clog2(OperandWords) + 1;

  // Reading.
  logic        read_command_valid, read_command_ready, read_command_id;
  logic [63:0] read_command_address;
  logic [15:0] read_command_words;
  logic        read_valid, read_ready, read_last, read_error, read_id, read_busy;
  logic [31:0] read_data;

  dma_read #(
    .BusWidth(BusWidth),
    .MaxBeats(MaxBeats)
  ) u_read (
    .clk_i,
    .rst_ni,
    .command_valid_i  (read_command_valid),
    .command_ready_o  (read_command_ready),
    .command_address_i(read_command_address),
    .command_words_i  (read_command_words),
    .command_id_i     (read_command_id),
    .out_valid_o      (read_valid),
    .out_ready_i      (read_ready),
    .out_data_o       (read_data),
    .out_last_o       (read_last),
    .out_error_o      (read_error),
    .out_id_o         (read_id),
    .busy_o           (read_busy),
    .m_axi_araddr_o,
    .m_axi_arlen_o,
    .m_axi_arvalid_o,
    .m_axi_arready_i,
    .m_axi_rdata_i,
    .m_axi_rresp_i,
    .m_axi_rlast_i,
    .m_axi_rvalid_i,
    .m_axi_rready_o
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
    .answered_i      (answer_valid_i && answer_ready_o),
    .answer_index_i  (answer_i.tag[ContextWidth-1:0]),
    .answer_context_o(answer_context)
  );

  // Descriptors and operands.
  logic                 operand_fault;
  logic                 operand_valid, operand_ready, operand_last, operand_drop;
  logic [31:0]          operand_data;
  logic [FreeWidth-1:0] operand_free;
  logic                 job_valid, job_ready, fetched, fetch_more, fetch_quiet, restart;
  logic                 job_waits, job_taken;
  job_t                 job, job_next;
  logic                 reject_valid, reject_ready;
  status_e              reject_status;
  context_t             reject_context;

  descriptor_fetch #(
    .OperandWords(OperandWords),
    .InFlight    (InFlight)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .enable_i,
    .hold_i,
    .restart_i         (restart),
    .base_i            (submission_base_i),
    .size_log2_i       (submission_log2_i),
    .tail_i            (submission_tail_i),
    .head_o            (submission_head_o),
    .overrun_o         (submission_overrun_o),
    .fetched_o         (fetched),
    .more_o            (fetch_more),
    .quiet_o           (fetch_quiet),
    .command_valid_o   (read_command_valid),
    .command_ready_i   (read_command_ready),
    .command_address_o (read_command_address),
    .command_words_o   (read_command_words),
    .command_id_o      (read_command_id),
    .read_valid_i      (read_valid),
    .read_ready_o      (read_ready),
    .read_data_i       (read_data),
    .read_last_i       (read_last),
    .read_error_i      (read_error),
    .read_id_i         (read_id),
    .operand_valid_o   (operand_valid),
    .operand_ready_i   (operand_ready),
    .operand_data_o    (operand_data),
    .operand_last_o    (operand_last),
    .operand_drop_o    (operand_drop),
    .operand_free_i    (operand_free),
    .context_valid_i   (free_valid),
    .context_index_i   (free_index),
    .context_take_o    (context_take),
    .context_index_o   (fresh_index),
    .context_o         (fresh_context),
    .job_valid_o       (job_valid),
    .job_ready_i       (job_ready),
    .job_o             (job),
    .reject_valid_o    (reject_valid),
    .reject_ready_i    (reject_ready),
    .reject_status_o   (reject_status),
    .reject_context_o  (reject_context),
    .descriptor_fault_o,
    .operand_fault_o   (operand_fault)
  );

  packet_buffer #(
    .Depth(OperandWords)
  ) u_operands (
    .clk_i,
    .rst_ni,
    .in_valid_i (operand_valid),
    .in_ready_o (operand_ready),
    .in_data_i  (operand_data),
    .in_last_i  (operand_last),
    .in_drop_i  (operand_drop),
    .free_o     (operand_free),
    .out_valid_o(operand_valid_o),
    .out_ready_i(operand_ready_i),
    .out_data_o (operand_data_o),
    .out_last_o (operand_last_o),
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
    .out_valid_o(job_valid_o),
    .out_ready_i(job_ready_i),
    .out_data_o (job_o)
  );

  // Results and completions.
  logic        result_fault;
  logic        write_command_valid, write_command_ready;
  logic [63:0] write_command_address;
  logic [15:0] write_command_words;
  logic        write_valid, write_ready, write_done, write_end, write_error, write_busy;
  logic [31:0] write_data;

  completion_write u_complete (
    .clk_i,
    .rst_ni,
    .restart_i         (restart),
    .base_i            (completion_base_i),
    .size_log2_i       (completion_log2_i),
    .head_i            (completion_head_i),
    .tail_o            (completion_tail_o),
    .overrun_o         (completion_overrun_o),
    .submission_head_i (submission_head_o),
    .written_o,
    .interrupt_o       (written_interrupt_o),
    .failed_o          (written_failed_o),
    .answer_valid_i,
    .answer_ready_o,
    .answer_i,
    .context_i         (answer_context),
    .result_valid_i,
    .result_ready_o,
    .result_data_i,
    .result_last_i,
    .reject_valid_i    (reject_valid),
    .reject_ready_o    (reject_ready),
    .reject_status_i   (reject_status),
    .reject_context_i  (reject_context),
    .command_valid_o   (write_command_valid),
    .command_ready_i   (write_command_ready),
    .command_address_o (write_command_address),
    .command_words_o   (write_command_words),
    .write_valid_o     (write_valid),
    .write_ready_i     (write_ready),
    .write_data_o      (write_data),
    .write_done_i      (write_done),
    .write_end_o       (write_end),
    .write_error_i     (write_error),
    .result_fault_o    (result_fault),
    .completion_fault_o
  );

  dma_write #(
    .BusWidth(BusWidth),
    .MaxBeats(MaxBeats)
  ) u_write (
    .clk_i,
    .rst_ni,
    .command_valid_i  (write_command_valid),
    .command_ready_o  (write_command_ready),
    .command_address_i(write_command_address),
    .command_words_i  (write_command_words),
    .in_valid_i       (write_valid),
    .in_ready_o       (write_ready),
    .in_data_i        (write_data),
    .done_valid_o     (write_done),
    .done_ready_i     (write_end),
    .error_o          (write_error),
    .busy_o           (write_busy),
    .m_axi_awaddr_o,
    .m_axi_awlen_o,
    .m_axi_awvalid_o,
    .m_axi_awready_i,
    .m_axi_wdata_o,
    .m_axi_wstrb_o,
    .m_axi_wlast_o,
    .m_axi_wvalid_o,
    .m_axi_wready_i,
    .m_axi_bresp_i,
    .m_axi_bvalid_i,
    .m_axi_bready_o
  );

  // What is under way.
  logic [7:0] in_flight_q;
  logic       in_flight_any_q, drained_q, more;
  logic       read_beat_q, write_beat_q;
  logic       fetched_q;  // a cycle ago: the count is far from the reader; a completion takes longer than this

  assign in_flight_o = in_flight_q;
  assign more        = enable_i && fetch_more;
  assign quiet_o     = fetch_quiet && !in_flight_any_q;
  assign idle_o      = quiet_o && (!more || submission_overrun_o);
  assign drained_o   = drained_q;
  assign restart     = !enable_i && idle_o;
  assign data_fault_o = operand_fault || result_fault;
  assign bus_busy_o  = read_busy || write_busy;
  assign bus_beats_o = 2'(read_beat_q) + 2'(write_beat_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fetched_q       <= 1'b0;
      in_flight_q     <= '0;
      in_flight_any_q <= 1'b0;
      drained_q       <= 1'b0;
      read_beat_q     <= 1'b0;
      write_beat_q    <= 1'b0;
    end else begin
      read_beat_q     <= m_axi_rvalid_i && m_axi_rready_o;
      write_beat_q    <= m_axi_wvalid_o && m_axi_wready_i;
      fetched_q       <= fetched;
      in_flight_q     <= in_flight_q + 8'(fetched_q) - 8'(written_o);
      in_flight_any_q <= fetched_q || (in_flight_any_q && !(written_o && in_flight_q == 8'd1));
      drained_q       <= written_o && in_flight_q == 8'd1 && fetch_quiet && !more;
    end
  end

endmodule
