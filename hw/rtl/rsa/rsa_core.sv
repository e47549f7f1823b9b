// SPDX-License-Identifier: Apache-2.0
// A complete RSA core: key slots, one multiplier array, one word ALU, and a microprogram for each job of garner_pkg.
//
//   in stream -> unpacker -> word_alu <-> key memory            response, out stream <- packer <- word_alu
//                               ^  \-> accumulator
//                               v
//                              mont <- rsa_dispatch <- exponentiator, microprogram
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
// An instruction takes four cycles beside its work. The next one has left rsa_program by then, for there are no jumps:
//
//   state_q           Next   Address  Prepare  Execute  Pass ... Next   Address
//   pc_q              k      k+1                                 k+1    k+2
//   instruction_q            I[k]                                I[k]   I[k+1]     rsa_decode: 1 and 2 cycles later
//   alu_start_q                                         1                          or exponent_start_q
//   check_failed_q                                                      of I[k]
//
// Contract    A job: job_i is taken, its operands are read from the in stream (in_last_i on the last word), one
//             response comes, then the result words, if the status is StatusOk and the job has a result. One job at a
//             time. Every job but OpZeroise has an operand stream, unknown ones too, and of a job that is refused it is
//             read up to in_last_i. No result leaves before all of it is computed and, of OpPrivate, checked.
//             A load that is refused half way leaves nothing of what it was to load: slot, working memories and
//             registers are erased before its answer, as OpZeroise does. What a result passes between the last comparison of
//             OpPrivate and out_data_o is not checked (rsa_program_pkg).
//             When zeroise_i rises all slots are empty two cycles later, the job under way is stopped (StatusEmptySlot)
//             and all memories are overwritten, and with them the registers of words and digits; then the job's answer
//             is given. Only a result that has been announced with StatusOk is delivered first. A job that comes while
//             zeroise_i is high is refused (StatusEmptySlot); its operands are read and not kept.
//             The same is done after reset: job_ready_o rises when all memories are zero.
module rsa_core
  import garner_pkg::*;
  import rsa_pkg::*;
  import exp_pkg::*;
#(
  parameter int unsigned W            = 18,
  parameter int unsigned Rows         = 15,    // not too many: see most_times
  parameter int unsigned HopCycles    = 5,
  parameter int unsigned MaxBits      = 4096,
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
  localparam int unsigned OperandWidth = $clog2(OperandWords);
  localparam int unsigned OutputRoom = 16;  // of the packer
  localparam int unsigned PcWidth = rsa_program_pkg::PcWidth;
  typedef logic [SlotAddressWidth-1:0] slot_address_t;

  if (MaxBits < 512 || MaxBits > 4096 || MaxBits % 64 != 0) begin : gen_bad_bits
    $fatal(1, "rsa_core: MaxBits must be a multiple of 64, 512 to 4096");
  end
  if (KeySlots < 1 || KeySlots > 256) begin : gen_bad_slots
    $fatal(1, "rsa_core: KeySlots must be 1 to 256");
  end
  if (W < 16 || W > 18) begin : gen_bad_width
    $fatal(1, "rsa_core: W must be 16 to 18");
  end
  if (OperandWords < 16 * 2 ** $clog2(FullWords) || OperandWords > 1 << AddressWidth
      || OperandWords != 1 << OperandWidth) begin : gen_bad_operand_words
    $fatal(1, "rsa_core: OperandWords must be a power of two and hold 16 regions of MaxBits");
  end

  // A pass is done at most so often, on the way to R^2: of all lengths, of moduli and of primes. `times` must hold it.
  function automatic int unsigned most_times();
    int unsigned most, words, digits;
    most = 0;
    if (Rows != 0) begin
      for (int unsigned bits = 512; bits <= MaxBits; bits += 64) begin
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

  // ---- The job
  typedef enum logic [3:0] {
    StIdle, StDecode, StLookup, StRefuse, StSizesStart, StSizesWait, StNext, StAddress, StPrepare, StExecute, StPass,
    StSecond,  StExponentiate, StAbort, StDrain, StRespond
  } state_e;

  (* fsm_encoding = "one-hot" *)
  state_e state_q;
  job_t job_q;
  status_e status_q;
  logic [PcWidth-1:0] pc_q, start_pc_q;
  instruction_t instruction, instruction_q;
  logic [7:0] is_q;   // what instruction_q is: a bit for each kind_e
  sizes_t full_q, half_q;
  stride_t stride_q;
  mode_e mode_q;
  logic open_q;       // a job is taken: in StIdle, from its second cycle on
  logic zeroise_in_q, zeroise_was_q;  // zeroise_i, which comes from far away; a cycle before
  logic zeroise_q;    // asked for, not begun
  logic washing_q;    // the program that runs is that of zeroise
  logic refused_q;    // a job that was to load a key: what it left is being overwritten, its status stays
  logic whole_q;      // a slot is overwritten. As with washing_q, lengths are those of MaxBits: it may have held more than n
  logic owed_q;       // then answer the job that was stopped
  logic responded_q;
  logic stop_q;       // the job under way is to be stopped for it
  always_ff @(posedge clk_i) begin
    stop_q   <= zeroise_q && !washing_q && !responded_q;  // SEC_CM: JOB.STOPPED
    whole_q  <= refused_q || job_q.op == OpZeroise;  // SEC_CM: ERASE.SLOT
    stride_q <= mode_q == ModeFull ? full_q.stride : half_q.stride;
  end

  status_e refusal;
  logic [12:0] slot_bits;
  rsa_slots #(.MaxBits(MaxBits), .KeySlots(KeySlots)) u_slots (
    .clk_i, .rst_ni, .job_i(job_q), .refuse_i(zeroise_in_q), .bits_o(slot_bits), .refusal_o(refusal),
    .accept_i(state_q == StRefuse && refusal == StatusOk),
    .mark_i(state_q == StExecute && is_q[KindMark]), .key_i(instruction_q.dual), .clear_i(zeroise_q)
  );

  // Sizes of n, then of p and q
  logic sizes_busy, sizes_half_q;
  logic [12:0] bits, sizes_bits;
  sizes_t sizes;
  assign bits = washing_q || whole_q ? 13'(MaxBits) : job_q.bits;
  assign sizes_bits = sizes_half_q ? {1'b0, bits[12:1]} : bits;
  rsa_sizes #(.W(W), .Rows(Rows)) u_sizes (
    .clk_i, .rst_ni, .start_i(state_q == StSizesStart), .bits_i(sizes_bits), .busy_o(sizes_busy), .sizes_o(sizes)
  );

  // ---- The instruction
  slot_address_t slot_read, slot_write;
  logic [AddressWidth-1:0] host_read_base, host_write_base;
  logic [MemoryWidth-1:0] last, power_index;
  logic [12:0] times;
  logic [7:0] count;
  rsa_program u_program (.clk_i, .pc_i(pc_q), .instruction_o(instruction));
  rsa_decode #(
    .W(W), .MaxBits(MaxBits), .KeySlots(KeySlots), .FullWords(FullWords), .HalfWords(HalfWords), .SlotWidth(SlotWidth),
    .OperandWords(OperandWords), .IndexWidth(MemoryWidth), .SlotAddressWidth(SlotAddressWidth)
  ) u_decode (
    .clk_i, .instruction_i(instruction_q), .full_i(full_q), .half_i(half_q), .stride_i(stride_q),
    .slot_i(washing_q ? '0 : job_q.slot[SlotIndexWidth-1:0]), .count_full_i(job_q.bits[12:5]),
    .exponent_bits_i(job_q.exponent_bits), .slot_read_o(slot_read), .slot_write_o(slot_write),
    .host_read_o(host_read_base), .host_write_o(host_write_base), .last_o(last), .power_o(power_index), .times_o(times),
    .count_o(count)
  );

  // ---- Word ALU, its streams and memories
  logic alu_start_q, in_begin_q, out_begin_q, alu_busy, negative, zero, scale_bit, scale_next;
  logic word_valid, word_ready, word_first, top, ended, short_stream, wipe_q;
  logic [W-1:0] word, write_data, slot_data, host_data;
  logic out_word_valid, out_word_taken, packer_busy, packer_busy_q;
  slot_address_t slot_read_address, slot_write_address, alu_read_address, exponent_address;
  logic slot_write_enable, host_write_enable;
  host_address_t host_read, host_write;
  logic exponent_q;  // the exponentiator reads the key memory and gives operations

  unpacker #(.W(W)) u_unpacker (
    .clk_i, .rst_ni, .clear_i(state_q == StDecode), .wipe_i(wipe_q), .begin_i(in_begin_q),
    .count_i(count), .drain_i(state_q == StDrain), .in_valid_i, .in_ready_o, .in_data_i, .in_last_i,
    .word_valid_o(word_valid), .word_pop_i(word_ready),
    .word_o(word), .top_o(top), .ended_o(ended), .short_o(short_stream)
  );

  word_alu #(
    .W(W), .AccumulatorWords(ModulusWords), .IndexWidth(MemoryWidth), .SlotAddressWidth(SlotAddressWidth),
    .OutputRoom(OutputRoom)
  ) u_alu (
    .clk_i, .rst_ni, .start_i(alu_start_q), .abort_i(stop_q),
    .pass_i('{x: instruction_q.x, sign: instruction_q.sign, keep: instruction_q.keep, y: instruction_q.y.space,
              d: instruction_q.d.space}),
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
    .clk_i, .rst_ni, .begin_i(out_begin_q), .count_i(job_q.bits[12:5]),
    .word_valid_i(out_word_valid), .word_i(write_data), .word_taken_o(out_word_taken), .busy_o(packer_busy),
    .out_valid_o, .out_ready_i, .out_data_o, .out_last_o
  );

  // The lowest word of a modulus
  logic lowest_q, odd_q;
  logic [W-1:0] lowest_word_q;
  always_ff @(posedge clk_i) begin
    // SEC_CM: ERASE.WORKING_REGISTERS
    lowest_word_q <= wipe_q ? '0 : word;
    if (lowest_q) odd_q <= lowest_word_q[0];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lowest_q <= 1'b0;
    else lowest_q <= (word_valid && word_ready && word_first) || wipe_q;
  end
  orup_scale #(.W(W)) u_scale (
    .clk_i, .rst_ni, .start_i(lowest_q), .word_i(lowest_word_q), .next_i(scale_next), .bit_o(scale_bit)
  );

  assign slot_read_address = exponent_q ? exponent_address : alu_read_address;
  ram #(.Width(W), .Depth(SlotDepth)) u_keys (
    .clk_i, .write_enable_i(slot_write_enable), .write_address_i(slot_write_address), .write_data_i(write_data),
    .read_address_i(slot_read_address), .read_data_o(slot_data)
  );

  // ---- Exponentiator
  logic exponent_start_q, exponent_done_q, exponent_busy, exponent_op_valid, exponent_op_ready, check_power;
  region_op_t exponent_op;
  logic [2:0] window_q;
  logic [12:0] exponent_bits_q;
  slot_address_t exponents[2];
  scheme_e scheme_q;
  assign check_power = !instruction_q.dual && field_e'(instruction_q.y.index) == FieldE;  // of s^e = m: e is public
  assign exponents = '{slot_read, slot_write};
  always_ff @(posedge clk_i) begin
    // SEC_CM: TIME.EXPONENT
    scheme_q <= instruction_q.dual ? SchemeFixedWindow : check_power ? SchemeLeftToRight : job_q.scheme;
    exponent_bits_q <= instruction_q.dual ? {1'b0, job_q.bits[12:1]} : check_power ? 13'd32 : job_q.exponent_bits;
  end

  // The table must fit: 8 + 2^window regions; short exponents do not need the largest
  logic long_q;
  logic [3:0] room, room_q;  // log2 of the regions a context has
  always_comb begin
    room = '0;
    for (int unsigned i = 0; i < Strides; i++) if (stride_q[i]) room |= 4'(OperandWidth - MinStride - i);
  end
  always_ff @(posedge clk_i) begin
    room_q   <= room - 4'(instruction_q.dual);
    long_q   <= exponent_bits_q >= 13'd320;
    window_q <= room_q >= 4'd6 && long_q ? 3'd5 : room_q >= 4'd5 ? 3'd4 : 3'd3;
  end

  exponentiator #(.W(W), .AddressWidth(SlotAddressWidth)) u_exponentiator (
    .clk_i, .rst_ni, .start_i(exponent_start_q), .abort_i(stop_q), .scheme_i(scheme_q), .dual_i(instruction_q.dual),
    .window_i(window_q), .bits_i(exponent_bits_q), .exponent_i(exponents), .busy_o(exponent_busy),
    .read_address_o(exponent_address), .read_data_i(slot_data),
    .op_valid_o(exponent_op_valid), .op_ready_i(exponent_op_ready), .op_o(exponent_op)
  );

  // ---- Multiplications
  logic own_op_valid, own_op_ready, op_valid, op_waiting, mont_busy, quiet_q;
  logic [1:0] op_ready;
  mont_pkg::op_t op;
  mont_pkg::config_t config_q;
  region_op_t own_op;
  assign own_op_valid = (state_q == StExecute && is_q[KindMultiply]) || state_q == StSecond;
  assign own_op = '{ctx: state_q == StSecond, a: region_t'(instruction_q.y.index), b: instruction_q.b,
                    d: region_t'(instruction_q.d.index)};
  always_ff @(posedge clk_i) begin
    config_q.words  <= mode_q == ModeFull ? full_q.words : half_q.words;
    config_q.passes <= mode_q == ModeFull ? full_q.passes
                       : mode_q == ModeHalf ? half_q.passes : {half_q.passes[7:0], 1'b0};
    config_q.digits <= mode_q == ModeHalf ? half_q.words : full_q.words;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) quiet_q <= 1'b0;
    else quiet_q <= !op_waiting && !mont_busy && !exponent_op_valid && !own_op_valid;
  end

  rsa_dispatch #(.OperandWords(OperandWords)) u_dispatch (
    .clk_i, .rst_ni, .stride_i(stride_q), .exponent_i(exponent_q), .exponent_valid_i(exponent_op_valid),
    .exponent_ready_o(exponent_op_ready), .exponent_op_i(exponent_op), .program_valid_i(own_op_valid),
    .program_ready_o(own_op_ready), .program_op_i(own_op), .op_valid_o(op_valid), .op_ready_i(op_ready), .op_o(op),
    .waiting_o(op_waiting)
  );

  mont #(
    .W(W), .Rows(Rows), .HopCycles(HopCycles), .OperandWords(OperandWords), .ModulusWords(ModulusWords)
  ) u_mont (
    .clk_i, .rst_ni, .config_i(config_q), .op_valid_i(op_valid), .op_ready_o(op_ready), .op_i(op),
    .busy_o(mont_busy),
    .host_read_i(host_read), .host_read_data_o(host_data), .host_write_enable_i(host_write_enable),
    .host_write_i(host_write), .host_write_data_i(write_data)
  );

  // ---- The sequence
  logic may_start, load_q, uses_mont_q, from_stream_q, to_stream_q, drained_q, stream_bad_q, check_failed, check_failed_q;
  status_e check_status, check_status_q;
  assign may_start = !uses_mont_q || quiet_q;
  assign job_ready_o = open_q;
  assign response_valid_o = state_q == StRespond;
  assign response_o = '{status: status_q, tag: job_q.tag};
  assign busy_o = state_q != StIdle;

  always_ff @(posedge clk_i) begin
    for (int unsigned kind = 0; kind < $bits(is_q); kind++) is_q[kind] <= 32'(instruction_q.kind) == kind;
    load_q         <= job_q.op == OpLoadModulus || job_q.op == OpLoadKey;
    uses_mont_q    <= instruction_q.y.space inside {SpaceOperand, SpaceModulus}
                      || instruction_q.d.space inside {SpaceOperand, SpaceModulus};
    from_stream_q  <= instruction_q.y.space == SpaceStream;
    to_stream_q    <= instruction_q.d.space == SpaceStream;
    packer_busy_q  <= packer_busy;
    drained_q      <= ended || !has_operands(job_q.op);
    stream_bad_q   <= !ended || short_stream;
    check_failed_q <= check_failed;
    check_status_q <= check_status;
    exponent_q     <= state_q == StExponentiate;
    start_pc_q     <= rsa_program_pkg::start_of(job_q.op);
    if (state_q == StSizesWait && !sizes_busy) begin
      if (sizes_half_q) half_q <= sizes;
      else full_q <= sizes;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wipe_q           <= 1'b0;
      alu_start_q      <= 1'b0;
      in_begin_q       <= 1'b0;
      out_begin_q      <= 1'b0;
      exponent_start_q <= 1'b0;
      exponent_done_q  <= 1'b0;
    end else begin
      wipe_q           <= state_q == StSizesStart && (washing_q || whole_q);  // SEC_CM: ERASE.WORKING_REGISTERS
      alu_start_q      <= state_q == StExecute && is_q[KindPass] && may_start;
      in_begin_q       <= state_q == StExecute && is_q[KindPass] && may_start && from_stream_q;
      out_begin_q      <= state_q == StExecute && is_q[KindPass] && may_start && to_stream_q && !washing_q;
      exponent_done_q  <= exponent_q && !exponent_busy && !exponent_start_q;
      exponent_start_q <= state_q == StExecute && is_q[KindExponentiate];
    end
  end

  always_comb begin
    check_failed = 1'b0;
    check_status = StatusOk;
    unique case (instruction_q.check)
      CheckModulus: begin
        check_failed = !odd_q || !top;
        check_status = StatusBadModulus;
      end
      CheckBelow: begin
        check_failed = !negative;
        check_status = StatusBadOperand;
      end
      CheckZero: begin
        check_failed = !zero;  // SEC_CM: RESULT.CHECKED
        check_status = StatusCheckFailed;
      end
      default: ;
    endcase
    if (short_stream) check_status = StatusBadLength;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StIdle;
      job_q        <= '0;
      status_q     <= StatusOk;
      pc_q         <= '0;
      instruction_q <= '0;
      mode_q       <= ModeFull;
      sizes_half_q <= 1'b0;
      open_q       <= 1'b0;
      zeroise_in_q <= 1'b0;
      zeroise_was_q <= 1'b0;
      zeroise_q    <= 1'b1;  // SEC_CM: ERASE.RESET
      washing_q    <= 1'b0;
      refused_q    <= 1'b0;
      owed_q       <= 1'b0;
      responded_q  <= 1'b0;
    end else begin
      zeroise_in_q  <= zeroise_i;
      zeroise_was_q <= zeroise_in_q;
      unique case (state_q)
        StIdle: begin
          responded_q  <= 1'b0;
          refused_q    <= 1'b0;
          sizes_half_q <= 1'b0;
          instruction_q <= '0;  // no check is pending
          pc_q          <= PcWidth'(rsa_program_pkg::StartZeroise);  // StRefuse knows that of a job
          if (open_q && job_valid_i) begin
            open_q  <= 1'b0;
            state_q <= StDecode;
          end else if (zeroise_q) begin
            open_q    <= 1'b0;
            washing_q <= 1'b1;
            zeroise_q <= 1'b0;
            state_q   <= StSizesStart;
          end else begin
            open_q <= 1'b1;
          end
        end

        StDecode: state_q <= StLookup;
        StLookup: state_q <= StRefuse;
        StRefuse: begin
          pc_q     <= start_pc_q;
          status_q <= refusal;
          state_q  <= refusal == StatusOk ? StSizesStart : StDrain;
          if (!load_q) job_q.bits <= slot_bits;
        end

        StSizesStart: state_q <= StSizesWait;
        StSizesWait: begin
          if (!sizes_busy) begin
            sizes_half_q <= 1'b1;
            state_q      <= sizes_half_q ? StNext : StSizesStart;
          end
        end

        StNext: begin
          pc_q          <= pc_q + 1'b1;  // SEC_CM: TIME.PROGRAM
          instruction_q <= instruction;
          state_q       <= StAddress;
        end
        StAddress: begin  // if the instruction before was right
          if (check_failed_q) begin
            status_q  <= check_status_q;
            refused_q <= load_q;
          end
          state_q <= check_failed_q ? StDrain : StPrepare;  // SEC_CM: RESULT.CHECKED
        end
        StPrepare: state_q <= stop_q ? StAbort : StExecute;
        StExecute: begin
          if (is_q[KindPass] && may_start) state_q <= StPass;
          if (is_q[KindMultiply] && own_op_ready) state_q <= instruction_q.dual ? StSecond : StNext;
          if (is_q[KindExponentiate]) state_q <= StExponentiate;
          if (is_q[KindMode] && quiet_q) begin
            mode_q  <= mode_e'(instruction_q.y.index[1:0]);
            state_q <= StNext;
          end
          if (is_q[KindEndInput]) begin
            if (stream_bad_q) begin
              status_q  <= StatusBadLength;
              refused_q <= load_q;
            end
            state_q <= stream_bad_q ? StDrain : StNext;
          end
          if (is_q[KindMark]) state_q <= StNext;
          if (is_q[KindRespond]) begin
            if (!refused_q) status_q <= StatusOk;
            responded_q <= 1'b1;
            state_q     <= StRespond;
          end
          if (is_q[KindEnd] && !packer_busy_q) begin
            washing_q <= 1'b0;
            owed_q    <= 1'b0;
            state_q   <= owed_q ? StDrain : StIdle;
          end
        end

        StPass: if (!alu_busy && !alu_start_q) state_q <= stop_q ? StAbort : StNext;
        StSecond: if (own_op_ready) state_q <= StNext;
        StExponentiate: if (exponent_done_q) state_q <= stop_q ? StAbort : StNext;

        // The job is stopped: zeroise first, then its answer
        StAbort: begin
          status_q <= StatusEmptySlot;
          owed_q   <= 1'b1;
          if (quiet_q) state_q <= StIdle;
        end

        StDrain: begin
          instruction_q <= '0;  // as in StIdle
          sizes_half_q  <= 1'b0;
          pc_q          <= PcWidth'(rsa_program_pkg::StartZeroiseSlot);
          if (stop_q) begin
            owed_q  <= 1'b1;
            state_q <= StIdle;
          end else if (drained_q) begin
            state_q <= refused_q ? StSizesStart : StRespond;  // SEC_CM: ERASE.REFUSED_LOAD
          end
        end
        default: if (response_ready_i) state_q <= responded_q ? StNext : StIdle;  // StRespond
      endcase

      if (open_q) job_q <= job_i;
      if (zeroise_in_q && !zeroise_was_q) zeroise_q <= 1'b1;  // SEC_CM: ERASE.CONTROL
    end
  end

endmodule
