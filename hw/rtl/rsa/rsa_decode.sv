// SPDX-License-Identifier: Apache-2.0
// What an instruction names, as numbers for the word ALU and the streams: addresses, lengths, repetitions.
//
//   cycle           0    1    2
//   instruction_i   I              static from here on, as are sizes, stride and job
//   times_o, count_o, slot_*_o     1 cycle later
//   host_*_o, last_o, power_o      2 cycles later
//
// Contract    instruction_i, stride_i, slot_i and count_full_i hold until what they name is done. full_i and half_i are
//             there 4 cycles before times_o is looked at, 2 before last_o and power_o; exponent_bits_i 2 before
//             count_o. Of both, W * (2 * digits + 3 - words) is below 2^13: rsa_core refuses Rows that are too many.
//             2^SlotWidth words hold a slot, 1 + 5*FullWords + 6*HalfWords + 2. What is written to SpaceModulus starts
//             a word below: word 0 goes where nobody reads, word 1 is word 0 of Nb. No reset: outputs follow the inputs.
module rsa_decode
  import rsa_pkg::*;
  import exp_pkg::region_t;
  import mont_pkg::AddressWidth;
#(
  parameter  int unsigned W              = 18,
  parameter  int unsigned MaxBits        = 4096,
  parameter  int unsigned KeySlots       = 4,
  parameter  int unsigned FullWords      = 230,   // of a number modulo n in a slot
  parameter  int unsigned HalfWords      = 116,   // modulo p or q
  parameter  int unsigned SlotWidth      = 11,    // a slot has 2^SlotWidth words; the work area is behind the slots
  parameter  int unsigned OperandWords   = 8192,  // of mont
  parameter  int unsigned IndexWidth     = 14,    // of the longest memory
  parameter  int unsigned SlotAddressWidth = 13,
  localparam int unsigned SlotIndexWidth = KeySlots > 1 ? $clog2(KeySlots) : 1
) (
  input  logic                        clk_i,
  /* verilator lint_off UNUSEDSIGNAL */ // some fields are for others
  input  instruction_t                instruction_i,
  input  sizes_t                      full_i,
  input  sizes_t                      half_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  stride_t                     stride_i,
  input  logic [SlotIndexWidth-1:0]   slot_i,
  input  logic [7:0]                  count_full_i,     // 32-bit words of n
  input  logic [12:0]                 exponent_bits_i,
  output logic [SlotAddressWidth-1:0] slot_read_o,
  output logic [SlotAddressWidth-1:0] slot_write_o,
  output logic [AddressWidth-1:0]     host_read_o,
  output logic [AddressWidth-1:0]     host_write_o,
  output logic [IndexWidth-1:0]       last_o,
  output logic [IndexWidth-1:0]       power_o,
  output logic [12:0]                 times_o,
  output logic [7:0]                  count_o
);

  localparam int unsigned ExponentWords = (MaxBits + W - 1) / W;
  typedef logic [SlotAddressWidth-1:0] slot_address_t;
  typedef logic [AddressWidth-1:0] address_t;
  typedef logic [IndexWidth-1:0] index_t;

  // ---- Key memory
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
      FieldResult:   begin work = 1'b1; offset = FullWords; end  // SEC_CM: KEY.NOT_READABLE
      default:       begin work = 1'b1; offset = 2 * FullWords; end  // FieldExponent
    endcase
    return work ? slot_address_t'(offset + (KeySlots << SlotWidth))
           : slot_address_t'({slot_number, offset[SlotWidth-1:0]});
  endfunction

  always_ff @(posedge clk_i) begin
    slot_read_o  <= field_address(slot_i, field_e'(instruction_i.y.index));
    slot_write_o <= field_address(slot_i, field_e'(instruction_i.d.index));
  end

  // ---- Memories of mont. What is written to a modulus goes a word down.
  function automatic address_t modulus_address(logic ctx, address_t down);
    return ctx ? address_t'(1 << mont_pkg::IndexWidth) - down : -down;
  endfunction

  function automatic address_t base(logic ctx, region_t region);
    return ctx && !is_shared(region) ? address_t'(OperandWords / 2) : '0;
  endfunction

  address_t read_base_q, read_offset_q, write_base_q, write_offset_q;
  always_ff @(posedge clk_i) begin
    read_base_q    <= base(instruction_i.y.ctx, region_t'(instruction_i.y.index));
    read_offset_q  <= address_t'(region_offset(region_t'(instruction_i.y.index), stride_i));
    write_base_q   <= base(instruction_i.d.ctx, region_t'(instruction_i.d.index));
    write_offset_q <= address_t'(region_offset(region_t'(instruction_i.d.index), stride_i));
    host_read_o    <= instruction_i.y.space == SpaceModulus ? modulus_address(instruction_i.y.ctx, address_t'(0))
                      : read_base_q | read_offset_q;
    host_write_o   <= instruction_i.d.space == SpaceModulus ? modulus_address(instruction_i.d.ctx, address_t'(1))
                      : write_base_q | write_offset_q;
  end

  // ---- Lengths and repetitions
  function automatic logic [12:0] times_w(logic [12:0] x);  // with adders: multipliers are for mont
    logic [12:0] sum;
    sum = '0;
    for (int unsigned i = 0; i < $clog2(W + 1); i++) if (W[i]) sum += x << i;
    return sum;
  endfunction

  logic [8:0] words_q;
  logic [12:0] digits_full_q, digits_half_q;        // twice, and 3
  logic [12:0] doublings_full_q, doublings_half_q;  // of W bits each, from SpacePower to R^2
  logic [12:0] times_full_q, times_half_q;          // so many times W
  logic [7:0] count_exponent_q;
  always_ff @(posedge clk_i) begin
    words_q          <= instruction_i.length == LengthHalf ? half_i.words : full_i.words;
    power_o          <= index_t'(words_q) - index_t'(3);
    digits_full_q    <= {2'd0, full_i.digits, 1'b0} + 13'd3;
    digits_half_q    <= {2'd0, half_i.digits, 1'b0} + 13'd3;
    doublings_full_q <= digits_full_q - 13'(full_i.words);
    doublings_half_q <= digits_half_q - 13'(half_i.words);
    times_full_q     <= times_w(doublings_full_q);
    times_half_q     <= times_w(doublings_half_q);
    count_exponent_q <= 8'((14'(exponent_bits_i) + 14'd31) >> 5);
    unique case (instruction_i.length)
      LengthPair:     last_o <= index_t'(1);
      LengthExponent: last_o <= index_t'(ExponentWords - 1);
      LengthSlot:     last_o <= index_t'((1 << SlotWidth) - 1);
      LengthMemory:   last_o <= '1;
      default:        last_o <= index_t'(words_q);
    endcase
    unique case (instruction_i.times)
      TimesWord:   times_o <= 13'(W);
      TimesSquare: times_o <= instruction_i.length == LengthHalf ? times_half_q : times_full_q;
      default:     times_o <= 13'd1;
    endcase
    unique case (instruction_i.count)
      CountFull: count_o <= count_full_i;
      CountHalf: count_o <= {1'b0, count_full_i[7:1]};
      CountOne:  count_o <= 8'd1;
      default:   count_o <= count_exponent_q;
    endcase
  end

endmodule
