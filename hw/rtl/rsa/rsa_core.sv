// SPDX-License-Identifier: Apache-2.0
// A complete RSA core: key slots, one multiplier array, one word ALU, and a microprogram for each job of garner_pkg.
//
//   job, response <-> rsa_intake <-> rsa_sequencer -> all units          rsa_wipe: zeroise_i, for both
//
//   in stream -> unpacker -> word_alu <-> key memory            out stream <- packer <- word_alu
//                               ^  \-> accumulator
//                               v
//                              mont <- rsa_dispatch <- exponentiator, rsa_sequencer
//
// This file is the wiring; what happens when is said by the three in the first line.
//
//   cycle             0    1   ...
//   job_valid_i       1    0                        job_ready_o: only while nothing is under way
//   in_valid_i        1    1    1 ...               may come early; taken as the program asks for it
//   response_valid_o                 1              holds until response_ready_i; out words follow, never before
//   out_valid_o                           1 1 1     low word first
//
// Time. A program is a straight line and every step's cycles depend on lengths alone: bits of n, and of the exponent
// (and, for the schemes that are marked so in garner_pkg, on the exponent). docs/hardware/rsa.md has the cycles of
// each part.
//
// Contract    A job: job_i is taken, its operands are read from the in stream (in_last_i on the last word), one
//             response comes, then the result words, if the status is StatusOk and the job has a result. One job at a
//             time. Every job but OpZeroise has an operand stream, unknown ones too, and of a job that is refused it is
//             read up to in_last_i. No result leaves before all of it is computed and, of OpPrivate, checked.
//             A load that is refused half way leaves nothing of what it was to load: slot, working memories and
//             registers are erased before its answer, as OpZeroise does. What a result passes between the last comparison of
//             OpPrivate and out_data_o is not checked (rsa_program_pkg).
//             When zeroise_i rises all slots are empty three cycles later, the job under way is stopped (StatusEmptySlot)
//             and all memories are overwritten, and with them the registers of words and digits; then the job's answer
//             is given. Only a result that has been announced with StatusOk is delivered first. A job that comes while
//             zeroise_i is high is refused (StatusEmptySlot); its operands are read and not kept.
//             The same is done after reset: job_ready_o rises when all memories are zero.
// Parameters  OperandWords: a power of two up to 8192, at least 16 * 2^ceil(log2(FullWords)), which is checked, and at least
//             32 * 2^ceil(log2(HalfWords)), which is not: with the key's two primes each context has half of the memory,
//             and its regions would lie over each other. The second is more only where HalfWords is just above a power of
//             two: with W = 17 and MaxBits = 1024 HalfWords is 33, and 2048 words are needed. The default is always enough.
module rsa_core
  import garner_pkg::*;
  import rsa_pkg::*;
  import exp_pkg::*;
#(
  parameter int unsigned W            = 18,
  parameter int unsigned Rows         = 15,    // not too many: see most_times
  parameter int unsigned HopCycles    = 5,
  parameter int unsigned MaxBits      = ModulusMaxBits,
  parameter int unsigned KeySlots     = 4,
  parameter int unsigned OperandWords = 8192   // of mont; fewer: smaller windows of the exponentiation
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 job_valid_i,
  output logic                 job_ready_o,
  input  job_t                 job_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  input  logic                 in_last_i,
  output logic                 response_valid_o,
  input  logic                 response_ready_i,
  output response_t            response_o,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o,
  output logic                 out_last_o,
  input  logic                 zeroise_i,
  output logic                 busy_o
);

  import mont_pkg::host_address_t;

  // ---- Sizes of what is built
  localparam int unsigned FullWords = (MaxBits + 2 * W + 1) / W + 1;      // of a number modulo n in a slot
  localparam int unsigned HalfWords = (MaxBits / 2 + 2 * W + 1) / W + 1;  // modulo p or q
  localparam int unsigned SlotWidth = $clog2(1 + 5 * FullWords + 6 * HalfWords + 2);
  localparam int unsigned SlotDepth = (KeySlots << SlotWidth) + 3 * FullWords;  // the work area is behind the slots
  localparam int unsigned SlotAddressWidth = $clog2(SlotDepth);
  localparam int unsigned SlotIndexWidth = KeySlots > 1 ? $clog2(KeySlots) : 1;
  localparam int unsigned ModulusWords = 1 << $clog2(FullWords + 1);
  localparam int unsigned AddressWidth = mont_pkg::AddressWidth;
  localparam int unsigned MemoryWidth = SlotAddressWidth > AddressWidth ? SlotAddressWidth : AddressWidth;
  localparam int unsigned OutputRoom = 16;  // of the packer
  typedef logic [SlotAddressWidth-1:0] slot_address_t;

  if (MaxBits < ModulusMinBits || MaxBits > ModulusMaxBits || MaxBits % ModulusStepBits != 0) begin : gen_bad_bits
    $fatal(1, "rsa_core: MaxBits must be a multiple of %0d, %0d to %0d", ModulusStepBits, ModulusMinBits, ModulusMaxBits);
  end
  // job_t.slot has 8 bits: it names 256 slots. The shell takes one fewer, because its capability register, of 8 bits too,
  // holds their count. A core without a shell has no such register.
  if (KeySlots < 1 || KeySlots > 256) begin : gen_bad_slots
    $fatal(1, "rsa_core: KeySlots must be 1 to 256");
  end
  if (W < 16 || W > 18) begin : gen_bad_width
    $fatal(1, "rsa_core: W must be 16 to 18");
  end
  if (OperandWords < 16 * 2 ** $clog2(FullWords) || OperandWords > 1 << AddressWidth
      || OperandWords != 1 << $clog2(OperandWords)) begin : gen_bad_operand_words
    $fatal(1, "rsa_core: OperandWords must be a power of two and hold 16 regions of MaxBits");
  end

  // A pass is done at most so often, on the way to R^2: of all lengths, of moduli and of primes. `times` must hold it.
  function automatic int unsigned most_times();
    int unsigned most, words, digits;
    most = 0;
    if (Rows != 0) begin
      for (int unsigned bits = ModulusMinBits; bits <= MaxBits; bits += ModulusStepBits) begin
        for (int unsigned half = 0; half < 2; half++) begin
          words  = ((bits >> half) + 2 * W + 1) / W;
          digits = (words + Rows - 1) / Rows * Rows;
          if (W * (2 * digits + 3 - words) > most) most = W * (2 * digits + 3 - words);
        end
      end
    end
    return most;
  endfunction
  if (most_times() >= 1 << 13) begin : gen_bad_rows
    $fatal(1, "rsa_core: with these Rows, W * (2 * digits + 3 - words) is beyond 8191 for some length; see rsa_sizes");
  end

  // ---- Intake, sequencer, wipe controller
  job_t job;
  logic [rsa_program_pkg::PcWidth-1:0] start_pc;
  status_e failed_status;
  instruction_t instruction;
  sizes_t full, half;
  stride_t stride;
  mont_pkg::config_t mont_config;
  region_op_t own_op;
  logic start, failed, mark, respond, stopped, done;
  logic wipe_asked, wiping, wipe_begin, wipe_whole, wipe_clear, refuse, stop, announced, erases, sizes_start;
  logic alu_start, alu_busy, in_begin, out_begin, packer_busy, exponent_start, exponent_turn, exponent_busy;
  logic own_valid, own_ready, quiet_q, odd, top, negative, zero, ended, short_stream, stream_clear, drain;

  rsa_intake #(.MaxBits(MaxBits), .KeySlots(KeySlots)) u_intake (
    .clk_i, .rst_ni, .job_valid_i, .job_ready_o, .job_i, .response_valid_o, .response_ready_i, .response_o, .busy_o,
    .job_o(job), .stream_clear_o(stream_clear), .drain_o(drain), .ended_i(ended),
    .wipe_asked_i(wipe_asked), .stop_i(stop), .refuse_i(refuse), .wipe_begin_o(wipe_begin), .announced_o(announced),
    .erases_o(erases), .start_o(start), .pc_o(start_pc), .failed_i(failed), .failed_status_i(failed_status),
    .mark_i(mark), .key_i(instruction.dual), .respond_i(respond), .stopped_i(stopped), .done_i(done)
  );

  rsa_sequencer #(.W(W), .Rows(Rows)) u_sequencer (
    .clk_i, .rst_ni, .start_i(start), .pc_i(start_pc), .answered_i(announced && response_ready_i), .failed_o(failed),
    .failed_status_o(failed_status), .mark_o(mark), .respond_o(respond), .stopped_o(stopped), .done_o(done),
    .stop_i(stop), .wiping_i(wiping), .sizes_start_o(sizes_start), .bits_i(wipe_whole ? 13'(MaxBits) : job.bits),
    .full_o(full), .half_o(half), .stride_o(stride), .config_o(mont_config), .instruction_o(instruction),
    .alu_start_o(alu_start), .in_begin_o(in_begin), .out_begin_o(out_begin), .alu_busy_i(alu_busy),
    .exponent_start_o(exponent_start), .exponent_o(exponent_turn), .exponent_busy_i(exponent_busy),
    .own_valid_o(own_valid), .own_ready_i(own_ready), .own_op_o(own_op), .quiet_i(quiet_q),
    .packer_busy_i(packer_busy), .odd_i(odd), .top_i(top), .negative_i(negative), .zero_i(zero), .ended_i(ended),
    .short_i(short_stream)
  );

  rsa_wipe u_wipe (
    .clk_i, .rst_ni, .zeroise_i, .begin_i(wipe_begin), .done_i(done), .announced_i(announced), .erases_i(erases),
    .sizes_start_i(sizes_start), .refuse_o(refuse), .asked_o(wipe_asked), .running_o(wiping), .stop_o(stop),
    .whole_o(wipe_whole), .clear_o(wipe_clear)
  );

  // ---- What the instruction names
  slot_address_t slot_read, slot_write;
  logic [AddressWidth-1:0] host_read_base, host_write_base;
  logic [MemoryWidth-1:0] last, power_index;
  logic [12:0] times;
  logic [7:0] count;
  rsa_decode #(
    .W(W), .MaxBits(MaxBits), .KeySlots(KeySlots), .FullWords(FullWords), .HalfWords(HalfWords), .SlotWidth(SlotWidth),
    .OperandWords(OperandWords), .IndexWidth(MemoryWidth), .SlotAddressWidth(SlotAddressWidth)
  ) u_decode (
    .clk_i, .instruction_i(instruction), .full_i(full), .half_i(half), .stride_i(stride),
    .slot_i(wiping ? '0 : job.slot[SlotIndexWidth-1:0]), .count_full_i(job.bits[12:5]),
    .exponent_bits_i(job.exponent_bits), .slot_read_o(slot_read), .slot_write_o(slot_write),
    .host_read_o(host_read_base), .host_write_o(host_write_base), .last_o(last), .power_o(power_index), .times_o(times),
    .count_o(count)
  );

  // ---- Word ALU, its streams and memories
  logic scale_bit, scale_next, scale_start, word_valid, word_ready, word_first;
  logic [W-1:0] word, lowest, write_data, slot_data, host_data;
  logic out_word_valid, out_word_taken;
  slot_address_t slot_write_address, alu_read_address, exponent_address;
  logic slot_write_enable, host_write_enable;
  host_address_t host_read, host_write;

  unpacker #(.W(W)) u_unpacker (
    .clk_i, .rst_ni, .clear_i(stream_clear), .wipe_i(wipe_clear), .begin_i(in_begin),
    .count_i(count), .drain_i(drain), .in_valid_i, .in_ready_o, .in_data_i, .in_last_i,
    .word_valid_o(word_valid), .word_pop_i(word_ready),
    .word_o(word), .top_o(top), .ended_o(ended), .short_o(short_stream)
  );

  word_alu #(
    .W(W), .AccumulatorWords(ModulusWords), .IndexWidth(MemoryWidth), .SlotAddressWidth(SlotAddressWidth),
    .OutputRoom(OutputRoom)
  ) u_alu (
    .clk_i, .rst_ni, .start_i(alu_start), .abort_i(stop),
    .pass_i('{x: instruction.x, sign: instruction.sign, keep: instruction.keep, y: instruction.y.space,
              d: instruction.d.space}),
    .last_i(last), .times_i(times), .power_index_i(power_index), .slot_read_i(slot_read), .slot_write_i(slot_write),
    .host_read_i(host_read_base), .host_write_i(host_write_base), .scale_bit_i(scale_bit), .scale_next_o(scale_next),
    .busy_o(alu_busy), .negative_o(negative), .zero_o(zero),
    .slot_read_address_o(alu_read_address), .slot_read_data_i(slot_data),
    .slot_write_enable_o(slot_write_enable), .slot_write_address_o(slot_write_address),
    .host_read_o(host_read), .host_read_data_i(host_data), .host_write_enable_o(host_write_enable),
    .host_write_o(host_write),
    .in_valid_i(word_valid), .in_ready_o(word_ready), .in_word_i(word), .in_first_o(word_first),
    .out_valid_o(out_word_valid), .out_taken_i(out_word_taken), .write_data_o(write_data)
  );

  packer #(.W(W), .Depth(OutputRoom)) u_packer (
    .clk_i, .rst_ni, .begin_i(out_begin), .count_i(job.bits[12:5]),
    .word_valid_i(out_word_valid), .word_i(write_data), .word_taken_o(out_word_taken), .busy_o(packer_busy),
    .out_valid_o, .out_ready_i, .out_data_o, .out_last_o
  );

  lowest_word #(.W(W)) u_lowest (
    .clk_i, .rst_ni, .clear_i(wipe_clear), .first_i(word_valid && word_ready && word_first), .word_i(word),
    .start_o(scale_start), .word_o(lowest), .odd_o(odd)
  );
  orup_scale #(.W(W)) u_scale (
    .clk_i, .rst_ni, .start_i(scale_start), .word_i(lowest), .next_i(scale_next), .bit_o(scale_bit)
  );

  ram #(.Width(W), .Depth(SlotDepth)) u_keys (
    .clk_i, .write_enable_i(slot_write_enable), .write_address_i(slot_write_address), .write_data_i(write_data),
    .read_address_i(exponent_turn ? exponent_address : alu_read_address), .read_data_o(slot_data)
  );

  // ---- Exponentiator
  logic exponent_op_valid, exponent_op_ready;
  region_op_t exponent_op;
  logic [2:0] window;
  logic [12:0] exponent_bits;
  slot_address_t exponents[2];
  scheme_e scheme;
  assign exponents = '{slot_read, slot_write};

  rsa_exponent #(.OperandWords(OperandWords)) u_exponent (
    .clk_i, .instruction_i(instruction), .job_i(job), .stride_i(stride), .scheme_o(scheme), .bits_o(exponent_bits),
    .window_o(window)
  );

  exponentiator #(.W(W), .AddressWidth(SlotAddressWidth)) u_exponentiator (
    .clk_i, .rst_ni, .start_i(exponent_start), .abort_i(stop), .scheme_i(scheme), .dual_i(instruction.dual),
    .window_i(window), .bits_i(exponent_bits), .exponent_i(exponents), .busy_o(exponent_busy),
    .read_address_o(exponent_address), .read_data_i(slot_data),
    .op_valid_o(exponent_op_valid), .op_ready_i(exponent_op_ready), .op_o(exponent_op)
  );

  // ---- Multiplications
  logic op_valid, op_waiting, mont_busy;
  logic [1:0] op_ready;
  mont_pkg::op_t op;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) quiet_q <= 1'b0;
    else quiet_q <= !op_waiting && !mont_busy && !exponent_op_valid && !own_valid;
  end

  rsa_dispatch #(.OperandWords(OperandWords)) u_dispatch (
    .clk_i, .rst_ni, .stride_i(stride), .exponent_i(exponent_turn), .exponent_valid_i(exponent_op_valid),
    .exponent_ready_o(exponent_op_ready), .exponent_op_i(exponent_op), .program_valid_i(own_valid),
    .program_ready_o(own_ready), .program_op_i(own_op), .op_valid_o(op_valid), .op_ready_i(op_ready), .op_o(op),
    .waiting_o(op_waiting)
  );

  mont #(
    .W(W), .Rows(Rows), .HopCycles(HopCycles), .OperandWords(OperandWords), .ModulusWords(ModulusWords)
  ) u_mont (
    .clk_i, .rst_ni, .config_i(mont_config), .op_valid_i(op_valid), .op_ready_o(op_ready), .op_i(op),
    .busy_o(mont_busy),
    .host_read_i(host_read), .host_read_data_o(host_data), .host_write_enable_i(host_write_enable),
    .host_write_i(host_write), .host_write_data_i(write_data)
  );

`ifdef GARNER_ASSERT
  always_comb begin
    if (rst_ni) begin
      a_wipe_takes_no_job:               assert (!(wiping && job_ready_o));
      a_wipe_answers_no_job:             assert (!(wiping && response_valid_o));
      a_result_follows_its_good_answer:  assert (!(out_begin || packer_busy)
                                                 || (announced && !response_valid_o && response_o.status == StatusOk));
      one_reads_the_key_memory:          assert (!(exponent_turn && (alu_start || alu_busy)));
      one_writes_the_operands:           assert (!(host_write_enable && mont_busy));
    end
  end

  wipe_monitor #(.W(W), .Depth(SlotDepth)) u_keys_wiped (
    .clk_i, .rst_ni, .begin_i(wipe_begin), .end_i(wiping && done), .write_enable_i(slot_write_enable),
    .address_i(slot_write_address), .word_i(write_data)
  );
  wipe_monitor #(.W(W), .Depth(OperandWords)) u_operands_wiped (
    .clk_i, .rst_ni, .begin_i(wipe_begin), .end_i(wiping && done),
    .write_enable_i(host_write_enable && !host_write.modulus),
    .address_i(host_write.word[$clog2(OperandWords)-1:0]), .word_i(write_data)
  );
  wipe_monitor #(.W(W), .Depth(2 * ModulusWords)) u_moduli_wiped (
    .clk_i, .rst_ni, .begin_i(wipe_begin), .end_i(wiping && done),
    .write_enable_i(host_write_enable && host_write.modulus),
    .address_i({host_write.word[mont_pkg::IndexWidth], host_write.word[$clog2(ModulusWords)-1:0]}), .word_i(write_data)
  );
`endif

endmodule
