// SPDX-License-Identifier: Apache-2.0
// Takes descriptors from the submission ring, checks them, reads their operands and hands on complete jobs.
//
// Two machines: one reads the next descriptor while the other reads the operands of the one before. A job is queued
// when all its operands are in the packet buffer, so nothing a bus does can reach a core half.
//
//   cycle        0   ..  3   ..  9   ..  24  25  26  27  ..  30  31  ..  33  34  35    `dma_read` before it, and a memory
//   tail         +2                                                                    that answers in two cycles
//   command              D0                          O0      D1  D1                    64 bytes; operands, when there
//   read                         d0  ..  d15                             o0  o1        is room for all of them
//   head_o                                   +1
//   job_o                                                                        J0    its operands may leave now
//
// A bad descriptor and a failed read end in a `reject`: a completion without a core. The ring goes on behind it.
//
// Contract    `head_o` never passes the tail: only as many as the host wrote are read. An impossible tail (more
//             descriptors than the ring holds) stops the fetch and is shown by `overrun_o`.
module descriptor_fetch
  import garner_pkg::*;
  import ring_pkg::*;
  import descriptor_pkg::*;
  import bus_pkg::*;
  import ring_control_pkg::*;
#(
  parameter int unsigned OperandWords = 512,  // places of the packet buffer
  parameter int unsigned InFlight     = 16,   // contexts, a power of two
  localparam int unsigned FreeWidth   = $clog2(OperandWords) + 1,
  localparam int unsigned ContextWidth = $clog2(InFlight)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // the ring
  input  logic                    enable_i,
  input  logic                    hold_i,      // read no more descriptors for now
  input  logic                    restart_i,   // head to 0; only while nothing is under way
  input  submission_ring_t        ring_i,
  output logic [15:0]             head_o,
  output logic                    overrun_o,
  output logic                    fetched_o,   // pulse: a descriptor was read, a completion will follow
  output logic                    more_o,      // there are descriptors to read; known two cycles after a change
  output logic                    quiet_o,     // no descriptor is being read and none can be

  // to the reader: id 0 is a descriptor, 1 operands
  output command_t                command_o,
  input  logic                    command_ready_i,
  output logic                    command_id_o,
  input  read_word_t              read_i,
  output logic                    read_ready_o,
  input  logic                    read_id_i,

  // operands, into the packet buffer, which drops those with an error
  output read_word_t              operand_o,
  input  logic                    operand_ready_i,
  input  logic [FreeWidth-1:0]    operand_free_i,

  // a place in the table of contexts, written when the job is queued
  input  logic                    context_valid_i,   // one is free
  input  logic [ContextWidth-1:0] context_index_i,
  output logic                    context_take_o,
  output logic [ContextWidth-1:0] context_index_o,
  output context_t                context_o,

  // complete jobs; their tag is the context
  output logic                    job_valid_o,
  input  logic                    job_ready_i,
  output job_t                    job_o,

  // what ends without a core
  output reject_t                 reject_o,
  input  logic                    reject_ready_i,
  output logic                    descriptor_fault_o, // pulse
  output logic                    operand_fault_o     // pulse
);

  // The ring and the next descriptor.
  typedef enum logic [2:0] {
    RingIdle,
    RingCommand,
    RingRead,
    RingCheck,
    RingFull,    // the descriptor waits for the other machine
    RingSettle   // until what is said of the indices counts the last head
  } ring_state_e;

  ring_state_e ring_state_q;
  logic [15:0] head_q, pending_q, size_q;
  logic        more_q, overrun_q;
  logic [3:0]  word_q;
  logic [UsedWords-1:0][31:0] descriptor_q;  // the words behind are reserved
  logic        reserved_q, fault_q;
  logic        pass_on;          // the other machine takes the descriptor
  logic        descriptor_word;
  job_t        job;
  context_t    fresh;
  logic        bad_format_q, bad_length_q;

  assign overrun_o       = overrun_q;
  assign more_o          = more_q;
  assign head_o          = head_q;
  assign quiet_o         = ring_state_q == RingIdle;
  assign descriptor_word = read_i.valid && read_ready_o && !read_id_i;
  assign fetched_o       = descriptor_word && read_i.last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ring_state_q <= RingIdle;
      head_q       <= '0;
    end else begin
      unique case (ring_state_q)
        RingIdle: begin
          if (restart_i) head_q <= '0;
          else if (enable_i && !hold_i && !overrun_q && more_q) ring_state_q <= RingCommand;
        end
        RingCommand: if (command_ready_i && !command_id_o) ring_state_q <= RingRead;
        RingRead: if (fetched_o) begin
          ring_state_q <= RingCheck;
          head_q       <= head_q + 1'b1;
        end
        RingCheck: ring_state_q <= RingFull;
        RingFull: if (pass_on) ring_state_q <= RingSettle;
        default: ring_state_q <= RingIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
      more_q    <= 1'b0;
      size_q    <= '0;
      overrun_q <= 1'b0;
    end else begin
      pending_q <= ring_i.tail - head_q;
      more_q    <= pending_q != '0;
      size_q    <= 16'd1 << ring_i.log2;
      overrun_q <= pending_q > size_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_q     <= '0;
      reserved_q <= 1'b0;
      fault_q    <= 1'b0;
    end else if (ring_state_q == RingCommand) begin
      word_q     <= '0;
      reserved_q <= 1'b0;
      fault_q    <= 1'b0;
    end else if (descriptor_word) begin
      word_q     <= word_q + 1'b1;
      reserved_q <= reserved_q || (word_q > 4'(UsedWords - 1) && read_i.data != '0);
      fault_q    <= read_i.error;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < UsedWords; i++) begin
      if (descriptor_word && word_q == 4'(i)) descriptor_q[i] <= read_i.data;
    end
  end

  // The descriptor and what can be wrong with it.
  descriptor_t descriptor;
  logic        has_operands_q;

  assign descriptor = descriptor_t'(descriptor_q);
  assign job        = unpack_job(descriptor_q[0], descriptor_q[1]);

  localparam int unsigned LongestLog2 = $clog2(4 * OperandWords);  // a power of two
  localparam int unsigned LengthZeros = $clog2(LengthAlignment);

  // More than 4 * OperandWords, without a carry chain.
  function automatic logic too_long(input logic [31:0] bytes);
    return |bytes[31:LongestLog2+1] || (bytes[LongestLog2] && |bytes[LongestLog2-1:0]);
  endfunction

  // Of the descriptor that is there; looked at in RingFull, a cycle behind RingCheck.
  always_ff @(posedge clk_i) begin
    has_operands_q <= has_operands(job.op);
    bad_format_q   <= reserved_q || reserved_job_bits(descriptor_q[0], descriptor_q[1]) ||
                      reserved_descriptor_bits(descriptor) ||
                      |descriptor.operand_address[AddressZeros-1:0] || |descriptor.result_address[AddressZeros-1:0];
    bad_length_q   <= |descriptor.operand_bytes[LengthZeros-1:0] || |descriptor.result_bytes[LengthZeros-1:0] ||
                      has_operands(job.op) != (descriptor.operand_bytes != '0) || too_long(descriptor.operand_bytes) ||
                      (has_result(job.op) && descriptor.result_bytes == '0) || too_long(descriptor.result_bytes);
  end

  always_comb begin
    fresh.index          = head_q - 1'b1;
    fresh.tag            = fault_q ? '0 : job.tag;
    fresh.marked         = descriptor.raise_interrupt && !fault_q;
    fresh.result_address = descriptor.result_address[63:AddressZeros];
    fresh.result_words   = descriptor.result_bytes[WordZeros +: $bits(fresh.result_words)];
  end

  // The operands.
  typedef enum logic [2:0] {
    Idle,
    Command,
    Operands,
    Queue,
    Reject
  } state_e;

  state_e   state_q;
  status_e  reject_status_q;
  job_t     job_q;
  context_t context_q;
  logic     room_q, good;

  // Room for the operands of a good descriptor; more can become free, none is taken before they are asked for.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) room_q <= 1'b0;
    else room_q <= context_valid_i && state_q == Idle && operand_free_i >= descriptor.operand_bytes[WordZeros +: FreeWidth];
  end

  assign good      = !fault_q && !bad_format_q && !bad_length_q;
  assign pass_on   = ring_state_q == RingFull &&
                     ((state_q == Idle && !good) || (state_q == Idle && room_q && !has_operands_q) ||
                      (state_q == Command && command_ready_i));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q         <= Idle;
      reject_status_q <= StatusOk;
    end else begin
      unique case (state_q)
        Idle: if (ring_state_q == RingFull) begin
          reject_status_q <= fault_q ? StatusBusFault : bad_format_q ? StatusBadDescriptor : StatusBadLength;
          if (!good) state_q <= Reject;
          else if (room_q) state_q <= has_operands_q ? Command : Queue;
        end
        Command: if (command_ready_i) state_q <= Operands;
        Operands: if (operand_o.valid && operand_ready_i && read_i.last) begin
          reject_status_q <= StatusBusFault;
          state_q         <= read_i.error ? Reject : Queue;
        end
        Queue: if (job_ready_i) state_q <= Idle;
        default: if (reject_ready_i) state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      job_q     <= job;
      job_q.tag <= 16'(context_index_i);
      context_q <= fresh;
    end
  end

  logic [63:0] descriptor_address;

  ring_address #(
    .PlaceLog2($clog2(4 * DescriptorWords))
  ) u_address (
    .clk_i,
    .base_i     (ring_i.base),
    .size_log2_i(ring_i.log2),
    .index_i    (head_q),
    .address_o  (descriptor_address)
  );

  assign command_id_o      = state_q == Command;
  assign command_o.valid   = ring_state_q == RingCommand || state_q == Command;
  assign command_o.address = command_id_o ? descriptor.operand_address : descriptor_address;
  assign command_o.words   = command_id_o ? descriptor.operand_bytes[WordZeros +: $bits(command_o.words)] : 16'(DescriptorWords);

  always_comb begin
    operand_o       = read_i;
    operand_o.valid = read_i.valid && read_id_i;
  end
  assign read_ready_o = !read_id_i || operand_ready_i;

  assign context_take_o  = state_q == Queue && job_ready_i;
  assign context_index_o = job_q.tag[ContextWidth-1:0];  // chosen when the descriptor was accepted
  assign context_o       = context_q;

  assign job_valid_o        = state_q == Queue;
  assign job_o              = job_q;
  assign reject_o           = '{valid: state_q == Reject, status: reject_status_q, job_context: context_q};
  assign descriptor_fault_o = fetched_o && read_i.error;
  assign operand_fault_o    = operand_o.valid && operand_ready_i && operand_o.last && operand_o.error;

endmodule
