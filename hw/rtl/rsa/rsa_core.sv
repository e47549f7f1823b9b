// A complete RSA core: key slots, one multiplier array, one word ALU, and a microprogram for each job of garner_pkg.
//
//   in stream -> unpacker -> word_alu <-> key memory            response, out stream <- packer <- word_alu
//                               ^  \-> accumulator
//                               v
//                              mont <- operations <- exponentiator, microprogram
//
// A job: job_i is taken, its operands are read from the in stream (in_last_i on the last word), the response comes,
// then the result words, if the status is StatusOk and the job has a result. One job at a time. Every job but
// OpZeroise has an operand stream, unknown ones too, and of a job that is refused it is read up to in_last_i.
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
// zeroise_i (a pulse) empties all slots at once, stops the job under way (StatusEmptySlot) and overwrites all memories;
// then the job's answer is given. Only a result that has been announced with StatusOk is delivered first. The same is
// done after reset: job_ready_o rises when all memories are zero.
module rsa_core
  import garner_pkg::*;
  import rsa_pkg::*;
  import exp_pkg::*;
#(
  parameter int unsigned W            = 18,
  parameter int unsigned Rows         = 15,
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
  localparam int unsigned ExponentWords = (MaxBits + W - 1) / W;
  localparam int unsigned SlotWidth = $clog2(1 + 5 * FullWords + 6 * HalfWords + 2);
  localparam int unsigned SlotDepth = (KeySlots << SlotWidth) + 3 * FullWords;  // the work area is behind the slots
  localparam int unsigned SlotAddressWidth = $clog2(SlotDepth);
  localparam int unsigned SlotIndexWidth = KeySlots > 1 ? $clog2(KeySlots) : 1;
  localparam int unsigned ModulusWords = 1 << $clog2(FullWords + 1);
  localparam int unsigned AddressWidth = mont_pkg::AddressWidth;
  localparam int unsigned MemoryWidth = SlotAddressWidth > AddressWidth ? SlotAddressWidth : AddressWidth;
  localparam int unsigned OperandWidth = $clog2(OperandWords);
  localparam int unsigned OutputRoom = 16;  // of the packer
  typedef logic [SlotAddressWidth-1:0] slot_address_t;
  typedef logic [AddressWidth-1:0] address_t;
  typedef logic [MemoryWidth-1:0] index_t;

  if (MaxBits < 512 || MaxBits > 4096 || MaxBits % 64 != 0) begin : gen_bad_bits
    $fatal(1, "rsa_core: MaxBits must be a multiple of 64, 512 to 4096");
  end
  if (KeySlots < 1 || KeySlots > 256) begin : gen_bad_slots
    $fatal(1, "rsa_core: KeySlots must be 1 to 256");
  end
  if (W < 16 || W > 18) begin : gen_bad_width
    $fatal(1, "rsa_core: W must be 16 to 18");
  end
  if (OperandWords < 16 * 2 ** $clog2(FullWords) || OperandWords > 1 << AddressWidth || OperandWords != 1 << OperandWidth)
  begin : gen_bad_operand_words
    $fatal(1, "rsa_core: OperandWords must be a power of two and hold 16 regions of MaxBits");
  end

  // ---- The job
  typedef enum logic [4:0] {
    StIdle, StDecode, StRefuse, StSizesStart, StSizesWait, StFetch, StSelect, StAddress, StPrepare, StExecute, StPass,
    StCheck, StSecond, StExponentiate, StAbort, StDrain, StRespond
  } state_e;
  typedef enum logic [1:0] {SlotEmpty, SlotModulus, SlotKey} slot_state_e;
  localparam int unsigned PcWidth = $clog2(rsa_program_pkg::ProgramLength);

  state_e state_q;
  job_t job_q;
  status_e status_q;
  logic [PcWidth-1:0] pc_q;
  instruction_t instruction_q;
  sizes_t full_q, half_q;
  logic [8:0] words;
  mode_e mode_q;
  logic zeroise_q;    // asked for, not begun
  logic washing_q;    // the program that runs is that of zeroise
  logic owed_q;       // then answer the job that was stopped
  logic responded_q;
  logic stop_q;       // the job under way is to be stopped for it
  slot_state_e slot_state_q[KeySlots];
  logic [6:0] slot_bits_q[KeySlots];  // of the modulus, in 64 bits
  logic [SlotIndexWidth-1:0] slot_index;
  assign slot_index = washing_q ? '0 : job_q.slot[SlotIndexWidth-1:0];
  always_ff @(posedge clk_i) stop_q <= zeroise_q && !washing_q && !responded_q;

  // What to do, and whether to refuse it
  status_e refusal, refusal_q;
  logic [PcWidth-1:0] start_pc;
  logic known, load;
  assign load = job_q.op == OpLoadModulus || job_q.op == OpLoadKey;
  always_comb begin
    known = 1'b1;
    unique case (job_q.op)
      OpLoadModulus:  start_pc = PcWidth'(rsa_program_pkg::StartLoadModulus);
      OpLoadKey:      start_pc = PcWidth'(rsa_program_pkg::StartLoadKey);
      OpMultiply:     start_pc = PcWidth'(rsa_program_pkg::StartMultiply);
      OpExponentiate: start_pc = PcWidth'(rsa_program_pkg::StartExponentiate);
      OpPrivate:      start_pc = PcWidth'(rsa_program_pkg::StartPrivate);
      OpZeroise:      start_pc = PcWidth'(rsa_program_pkg::StartZeroiseSlot);
      default: begin
        start_pc = '0;
        known = 1'b0;
      end
    endcase
    if (!known) refusal = StatusBadOp;
    else if (32'(job_q.slot) >= KeySlots) refusal = StatusBadSlot;
    else if (load && (job_q.bits < 13'd512 || 32'(job_q.bits) > MaxBits || job_q.bits[5:0] != '0))
      refusal = StatusBadLength;
    else if (!load && job_q.op != OpZeroise && slot_state_q[slot_index] == SlotEmpty) refusal = StatusEmptySlot;
    else if (job_q.op == OpPrivate && slot_state_q[slot_index] != SlotKey) refusal = StatusEmptySlot;
    else if (job_q.op == OpExponentiate && (job_q.exponent_bits == '0 || 32'(job_q.exponent_bits) > MaxBits))
      refusal = StatusBadLength;
    else refusal = StatusOk;
  end
  always_ff @(posedge clk_i) refusal_q <= refusal;

  // ---- Sizes: of n, then of p and q
  logic sizes_start, sizes_busy, sizes_half_q;
  logic [12:0] bits, sizes_bits;
  sizes_t sizes;
  assign bits = washing_q ? 13'(MaxBits) : job_q.bits;
  assign sizes_bits = sizes_half_q ? {1'b0, bits[12:1]} : bits;
  rsa_sizes #(.W(W), .Rows(Rows)) u_sizes (
    .clk_i, .rst_ni, .start_i(sizes_start), .bits_i(sizes_bits), .busy_o(sizes_busy), .sizes_o(sizes)
  );

  // ---- Addresses of what an instruction names
  function automatic slot_address_t field_address(logic [SlotIndexWidth-1:0] slot_number, field_e field);
    int unsigned offset;
    logic work;
    work = 1'b0;
    unique case (field)
      FieldShifted:  offset = 0;
      FieldN:        offset = 1;
      FieldScaled:   offset = 1 + FullWords;
      FieldSquare:   offset = 1 + 2 * FullWords;
      FieldFactorP:  offset = 1 + 3 * FullWords;
      FieldFactorQ:  offset = 1 + 4 * FullWords;
      FieldScaledP:  offset = 1 + 5 * FullWords;
      FieldScaledQ:  offset = 1 + 5 * FullWords + HalfWords;
      FieldSquareP:  offset = 1 + 5 * FullWords + 2 * HalfWords;
      FieldSquareQ:  offset = 1 + 5 * FullWords + 3 * HalfWords;
      FieldDp:       offset = 1 + 5 * FullWords + 4 * HalfWords;
      FieldDq:       offset = 1 + 5 * FullWords + 5 * HalfWords;
      FieldE:        offset = 1 + 5 * FullWords + 6 * HalfWords;
      FieldInput:    begin work = 1'b1; offset = 0; end
      FieldResult:   begin work = 1'b1; offset = FullWords; end
      default:       begin work = 1'b1; offset = 2 * FullWords; end  // FieldExponent
    endcase
    return work ? slot_address_t'(offset + (KeySlots << SlotWidth)) : slot_address_t'({slot_number, offset[SlotWidth-1:0]});
  endfunction

  function automatic address_t region_address(logic ctx, region_t region, logic [3:0] stride);
    logic own;  // each context has its own
    own = region != RegionUnit && region != RegionInput;
    return address_t'(ctx && own ? OperandWords / 2 : 0) | (address_t'(region) << stride);
  endfunction

  function automatic address_t host_address(place_t place, logic [3:0] stride, address_t down);
    return place.space != SpaceModulus ? region_address(place.ctx, region_t'(place.index), stride)
           : place.ctx ? address_t'(1 << mont_pkg::IndexWidth) - down : -down;
  endfunction

  function automatic logic [12:0] times_w(logic [12:0] x);  // with adders: multipliers are for mont
    logic [12:0] sum;
    sum = '0;
    for (int unsigned i = 0; i < $clog2(W + 1); i++) if (W[i]) sum += x << i;
    return sum;
  endfunction

  logic [3:0] stride_q;
  always_ff @(posedge clk_i) stride_q <= mode_q == ModeFull ? full_q.stride : half_q.stride;
  assign words = instruction_q.length == LengthHalf ? half_q.words : full_q.words;

  slot_address_t slot_read_q, slot_write_q;
  address_t host_read_q, host_write_q;
  index_t last_q;
  logic [12:0] times_q;
  logic [12:0] doublings_full_q, doublings_half_q;  // of W bits each, from SpacePower to R^2
  logic [12:0] times_full_q, times_half_q;          // so many times W
  index_t power_index_q;
  logic [7:0] count_q;
  always_ff @(posedge clk_i) begin
    slot_read_q  <= field_address(slot_index, field_e'(instruction_q.y.index));
    slot_write_q <= field_address(slot_index, field_e'(instruction_q.d.index));
    host_read_q  <= host_address(instruction_q.y, stride_q, address_t'(0));
    host_write_q <= host_address(instruction_q.d, stride_q, address_t'(1));  // a modulus: a word down
    times_full_q     <= times_w(doublings_full_q);
    times_half_q     <= times_w(doublings_half_q);
    power_index_q    <= index_t'(words) - index_t'(3);
    doublings_full_q <= {2'd0, full_q.digits, 1'b0} - 13'(full_q.words) + 13'd3;
    doublings_half_q <= {2'd0, half_q.digits, 1'b0} - 13'(half_q.words) + 13'd3;
    unique case (instruction_q.length)
      LengthPair:     last_q <= index_t'(1);
      LengthExponent: last_q <= index_t'(ExponentWords - 1);
      LengthSlot:     last_q <= index_t'((1 << SlotWidth) - 1);
      LengthMemory:   last_q <= '1;
      default:        last_q <= index_t'(words);
    endcase
    unique case (instruction_q.times)
      TimesWord:   times_q <= 13'(W);
      TimesSquare: times_q <= instruction_q.length == LengthHalf ? times_half_q : times_full_q;
      default:     times_q <= 13'd1;
    endcase
    unique case (instruction_q.count)
      CountFull: count_q <= job_q.bits[12:5];
      CountHalf: count_q <= {1'b0, job_q.bits[12:6]};
      CountOne:  count_q <= 8'd1;
      default:   count_q <= 8'((14'(job_q.exponent_bits) + 14'd31) >> 5);
    endcase
  end

  // ---- Word ALU, its streams and memories
  pass_t alu_pass;
  logic alu_start, alu_abort, alu_busy, negative, zero, scale_bit, scale_next;
  logic word_valid, word_pop, word_first, top, ended, short_stream, drain, clear, wipe;
  logic [W-1:0] word, write_data, slot_data, host_data;
  logic out_word_valid, out_word_taken, packer_busy, odd_q;
  slot_address_t slot_read_address, slot_write_address, alu_read_address, exponent_address;
  logic slot_write_enable, host_write_enable;
  host_address_t host_read, host_write;
  logic exponent_busy;
  assign alu_pass = '{x: instruction_q.x, sign: instruction_q.sign, keep: instruction_q.keep,
                  y: instruction_q.y.space, d: instruction_q.d.space};

  unpacker #(.W(W)) u_unpacker (
    .clk_i, .rst_ni, .clear_i(clear), .wipe_i(wipe), .begin_i(alu_start && instruction_q.y.space == SpaceStream),
    .count_i(count_q), .drain_i(drain), .in_valid_i, .in_ready_o, .in_data_i, .in_last_i,
    .word_valid_o(word_valid), .word_pop_i(word_pop),
    .word_o(word), .top_o(top), .ended_o(ended), .short_o(short_stream)
  );

  word_alu #(
    .W(W), .AccumulatorWords(ModulusWords), .IndexWidth(MemoryWidth), .SlotAddressWidth(SlotAddressWidth),
    .OutputRoom(OutputRoom)
  ) u_alu (
    .clk_i, .rst_ni, .start_i(alu_start), .abort_i(alu_abort), .pass_i(alu_pass), .last_i(last_q), .times_i(times_q),
    .power_index_i(power_index_q), .slot_read_i(slot_read_q), .slot_write_i(slot_write_q),
    .host_read_i(host_read_q), .host_write_i(host_write_q), .scale_bit_i(scale_bit), .scale_next_o(scale_next),
    .busy_o(alu_busy), .negative_o(negative), .zero_o(zero),
    .slot_read_address_o(alu_read_address), .slot_read_data_i(slot_data),
    .slot_write_enable_o(slot_write_enable), .slot_write_address_o(slot_write_address),
    .host_read_o(host_read), .host_read_data_i(host_data), .host_write_enable_o(host_write_enable),
    .host_write_o(host_write),
    .in_valid_i(word_valid), .in_pop_o(word_pop), .in_word_i(word), .in_first_o(word_first),
    .out_valid_o(out_word_valid), .out_taken_i(out_word_taken), .write_data_o(write_data)
  );

  packer #(.W(W), .Depth(OutputRoom)) u_packer (
    .clk_i, .rst_ni, .begin_i(alu_start && instruction_q.d.space == SpaceStream), .count_i(job_q.bits[12:5]),
    .word_valid_i(out_word_valid), .word_i(write_data), .word_taken_o(out_word_taken), .busy_o(packer_busy),
    .out_valid_o, .out_ready_i, .out_data_o, .out_last_o
  );

  orup_scale #(.W(W)) u_scale (
    .clk_i, .rst_ni, .start_i((word_pop && word_first) || wipe), .word_i(wipe ? '0 : word), .next_i(scale_next),
    .bit_o(scale_bit)
  );

  assign slot_read_address = exponent_busy ? exponent_address : alu_read_address;
  ram #(.Width(W), .Depth(SlotDepth)) u_keys (
    .clk_i, .write_enable_i(slot_write_enable), .write_address_i(slot_write_address), .write_data_i(write_data),
    .read_address_i(slot_read_address), .read_data_o(slot_data)
  );

  // ---- Exponentiator
  logic exponent_start, exponent_abort, exponent_op_valid, exponent_op_ready, check_power;
  region_op_t exponent_op;
  logic [2:0] window_q;
  logic [12:0] exponent_bits_q;
  slot_address_t exponents[2];
  scheme_e scheme_q;
  assign check_power = !instruction_q.dual && field_e'(instruction_q.y.index) == FieldE;  // of s^e = m: e is public
  assign exponents = '{slot_read_q, slot_write_q};
  always_ff @(posedge clk_i) begin
    scheme_q <= instruction_q.dual ? SchemeFixedWindow : check_power ? SchemeLeftToRight : job_q.scheme;
    exponent_bits_q <= instruction_q.dual ? {1'b0, job_q.bits[12:1]} : check_power ? 13'd32 : job_q.exponent_bits;
  end

  // The table must fit: 8 + 2^window regions; short exponents do not need the largest
  logic [3:0] room_q;  // log2 of the regions a context has
  always_ff @(posedge clk_i) begin
    room_q   <= 4'(OperandWidth) - 4'(instruction_q.dual) - stride_q;
    window_q <= room_q >= 4'd6 && exponent_bits_q >= 13'd320 ? 3'd5 : room_q >= 4'd5 ? 3'd4 : 3'd3;
  end

  exponentiator #(.W(W), .AddressWidth(SlotAddressWidth)) u_exponentiator (
    .clk_i, .rst_ni, .start_i(exponent_start), .abort_i(exponent_abort), .scheme_i(scheme_q), .dual_i(instruction_q.dual),
    .window_i(window_q), .bits_i(exponent_bits_q), .exponent_i(exponents), .busy_o(exponent_busy),
    .read_address_o(exponent_address), .read_data_i(slot_data),
    .op_valid_o(exponent_op_valid), .op_ready_i(exponent_op_ready), .op_o(exponent_op)
  );

  // ---- Operations on their way to mont: from the exponentiator or the microprogram
  region_op_t own_op, region_op_q;
  logic own_op_valid, own_op_ready, region_valid_q, region_go, op_valid_q, op_go, mont_busy, quiet_q;
  logic [1:0] op_ready;
  mont_pkg::op_t op_q;
  mont_pkg::config_t config_q;
  assign own_op = '{ctx: state_q == StSecond, a: region_t'(instruction_q.y.index), b: instruction_q.b,
                    d: region_t'(instruction_q.d.index)};
  assign op_go = !op_valid_q || op_ready[op_q.ctx];
  assign region_go = !region_valid_q || op_go;
  assign exponent_op_ready = region_go;
  assign own_op_ready = region_go;
  always_ff @(posedge clk_i) begin
    if (region_go) region_op_q <= exponent_busy ? exponent_op : own_op;
    if (op_go) begin
      op_q <= '{ctx: region_op_q.ctx, a: region_address(region_op_q.ctx, region_op_q.a, stride_q),
                b: region_address(region_op_q.ctx, region_op_q.b, stride_q),
                d: region_address(region_op_q.ctx, region_op_q.d, stride_q)};
    end
    config_q.words  <= mode_q == ModeFull ? full_q.words : half_q.words;
    config_q.passes <= mode_q == ModeFull ? full_q.passes
                       : mode_q == ModeHalf ? half_q.passes : {half_q.passes[7:0], 1'b0};
    config_q.digits <= mode_q == ModeHalf ? half_q.words : full_q.words;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      region_valid_q <= 1'b0;
      op_valid_q     <= 1'b0;
      quiet_q        <= 1'b0;
    end else begin
      if (region_go) region_valid_q <= exponent_op_valid || own_op_valid;
      if (op_go) op_valid_q <= region_valid_q;
      quiet_q <= !region_valid_q && !op_valid_q && !mont_busy && !exponent_op_valid && !own_op_valid;
    end
  end

  mont #(
    .W(W), .Rows(Rows), .HopCycles(HopCycles), .OperandWords(OperandWords), .ModulusWords(ModulusWords)
  ) u_mont (
    .clk_i, .rst_ni, .config_i(config_q), .op_valid_i(op_valid_q), .op_ready_o(op_ready), .op_i(op_q),
    .busy_o(mont_busy),
    .host_read_i(host_read), .host_read_data_o(host_data), .host_write_enable_i(host_write_enable),
    .host_write_i(host_write), .host_write_data_i(write_data)
  );

  // ---- The microprogram's sequence
  logic uses_mont_q, may_start_q, check_failed, check_failed_q;
  status_e check_status, check_status_q;
  always_ff @(posedge clk_i) begin
    uses_mont_q <= instruction_q.y.space inside {SpaceOperand, SpaceModulus}
                   || instruction_q.d.space inside {SpaceOperand, SpaceModulus};
    may_start_q    <= (!uses_mont_q || quiet_q) && state_q == StExecute;
    check_failed_q <= check_failed;
    check_status_q <= check_status;
  end
  assign alu_start = state_q == StExecute && instruction_q.kind == KindPass && may_start_q && !stop_q;
  assign alu_abort = stop_q;
  assign exponent_start = state_q == StExecute && instruction_q.kind == KindExponentiate && !stop_q;
  assign exponent_abort = stop_q;
  assign own_op_valid = (state_q == StExecute && instruction_q.kind == KindMultiply) || state_q == StSecond;
  assign drain = state_q == StDrain;
  assign clear = state_q == StDecode;
  assign wipe = state_q == StIdle && zeroise_q;
  assign sizes_start = state_q == StSizesStart;
  assign job_ready_o = state_q == StIdle && !zeroise_q;
  assign response_valid_o = state_q == StRespond;
  assign response_o = '{status: status_q, tag: job_q.tag};
  assign busy_o = state_q != StIdle;

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
        check_failed = !zero;
        check_status = StatusCheckFailed;
      end
      default: ;
    endcase
    if (short_stream && check_failed) check_status = StatusBadLength;
  end

  // The program, in two steps: a word of each bank of 32 instructions, then one of them
  localparam int unsigned BankWidth = 5;
  localparam int unsigned Banks = (rsa_program_pkg::ProgramLength + (1 << BankWidth) - 1) >> BankWidth;
  instruction_t bank_q[Banks];
  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    /* verilator lint_off ASCRANGE */ // in the order of the program
    instruction_t [0:(1<<BankWidth)-1] words_of_bank;
    /* verilator lint_on ASCRANGE */
    for (genvar i = 0; i < 1 << BankWidth; i++) begin : gen_word
      if ((bank << BankWidth) + i < rsa_program_pkg::ProgramLength) begin : gen_instruction
        assign words_of_bank[i] = rsa_program_pkg::Program[(bank << BankWidth) + i];
      end else begin : gen_none
        assign words_of_bank[i] = '0;
      end
    end
    always_ff @(posedge clk_i) bank_q[bank] <= words_of_bank[pc_q[BankWidth-1:0]];
  end

  always_ff @(posedge clk_i) begin
    if (word_pop && word_first) odd_q <= word[0];
    if (state_q == StSelect) instruction_q <= bank_q[pc_q[PcWidth-1:BankWidth]];
    if (state_q == StSizesWait && !sizes_busy) begin
      if (sizes_half_q) half_q <= sizes;
      else full_q <= sizes;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StIdle;
      job_q        <= '0;
      status_q     <= StatusOk;
      pc_q         <= '0;
      mode_q       <= ModeFull;
      sizes_half_q <= 1'b0;
      zeroise_q    <= 1'b1;
      washing_q    <= 1'b0;
      owed_q       <= 1'b0;
      responded_q  <= 1'b0;
      for (int unsigned i = 0; i < KeySlots; i++) begin
        slot_state_q[i] <= SlotEmpty;
        slot_bits_q[i]  <= '0;
      end
    end else begin
      unique case (state_q)
        StIdle: begin
          responded_q  <= 1'b0;
          sizes_half_q <= 1'b0;
          if (zeroise_q) begin
            washing_q <= 1'b1;
            zeroise_q <= 1'b0;
            pc_q      <= PcWidth'(rsa_program_pkg::StartZeroise);
            state_q   <= StSizesStart;
          end else if (job_valid_i) begin
            job_q   <= job_i;
            state_q <= StDecode;
          end
        end

        StDecode: begin
          pc_q    <= start_pc;
          state_q <= StRefuse;
        end

        StRefuse: begin
          if (refusal_q != StatusOk) begin
            status_q <= refusal_q;
            state_q  <= StDrain;
          end else begin
            state_q <= StSizesStart;
            if (load || job_q.op == OpZeroise) slot_state_q[slot_index] <= SlotEmpty;
            if (load) slot_bits_q[slot_index] <= job_q.bits[12:6];
            else job_q.bits <= {slot_bits_q[slot_index], 6'd0};
          end
        end

        StSizesStart: state_q <= StSizesWait;
        StSizesWait: begin
          if (!sizes_busy) begin
            sizes_half_q <= 1'b1;
            state_q      <= sizes_half_q ? StFetch : StSizesStart;
          end
        end

        StFetch: state_q <= StSelect;
        StSelect: begin
          pc_q    <= pc_q + 1'b1;
          state_q <= StAddress;
        end
        StAddress: state_q <= StPrepare;
        StPrepare: state_q <= StExecute;
        StExecute: begin
          if (stop_q) begin
            state_q <= StAbort;
          end else begin
            unique case (instruction_q.kind)
              KindPass:         if (may_start_q) state_q <= StPass;
              KindMultiply:     if (own_op_ready) state_q <= instruction_q.dual ? StSecond : StFetch;
              KindExponentiate: state_q <= StExponentiate;
              KindMode: begin
                if (quiet_q) begin
                  mode_q  <= mode_e'(instruction_q.y.index[1:0]);
                  state_q <= StFetch;
                end
              end
              KindEndInput: begin
                state_q <= StFetch;
                if (!ended || short_stream) begin
                  status_q <= StatusBadLength;
                  state_q  <= StDrain;
                end
              end
              KindMark: begin
                slot_state_q[slot_index] <= instruction_q.dual ? SlotKey : SlotModulus;
                state_q                  <= StFetch;
              end
              KindRespond: begin
                status_q    <= StatusOk;
                responded_q <= 1'b1;
                state_q     <= StRespond;
              end
              default: begin  // KindEnd
                if (!packer_busy) begin
                  washing_q <= 1'b0;
                  owed_q    <= 1'b0;
                  state_q   <= owed_q ? StDrain : StIdle;
                end
              end
            endcase
          end
        end

        StPass: if (!alu_busy) state_q <= StCheck;
        StCheck: begin
          state_q <= StFetch;
          if (stop_q) begin
            state_q <= StAbort;
          end else if (check_failed_q) begin
            status_q <= check_status_q;
            state_q  <= StDrain;
          end
        end
        StSecond: if (own_op_ready) state_q <= StFetch;
        StExponentiate: if (!exponent_busy) state_q <= stop_q ? StAbort : StFetch;

        // The job is stopped: zeroise first, then its answer
        StAbort: begin
          status_q <= StatusEmptySlot;
          owed_q   <= 1'b1;
          if (quiet_q) state_q <= StIdle;
        end

        StDrain: begin
          if (stop_q) begin
            owed_q  <= 1'b1;
            state_q <= StIdle;
          end else if (ended || job_q.op == OpZeroise) begin
            state_q <= StRespond;
          end
        end
        StRespond: if (response_ready_i) state_q <= responded_q ? StFetch : StIdle;
        default: state_q <= StIdle;
      endcase

      if (zeroise_i) begin
        zeroise_q <= 1'b1;
        for (int unsigned i = 0; i < KeySlots; i++) slot_state_q[i] <= SlotEmpty;
      end
    end
  end

endmodule
