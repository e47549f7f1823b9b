// SPDX-License-Identifier: Apache-2.0
// rsa_decode: whatever instruction of the program it is and whatever the lengths are, the words of the key memory that it
// reads and writes are in the slot of the job, or in the work area, which is behind the slots, from its first to its last.
// The program that empties all slots is the only one that goes through the whole memory.
module rsa_decode_formal
  import rsa_pkg::*;
  import rsa_program_pkg::*;
#(
  parameter int unsigned MaxBits  = 1024,
  parameter int unsigned KeySlots = 3
) (
  input logic               clk_i,
  input logic [PcWidth-1:0] pc_i,             // all of these stand still
  input sizes_t             full_i,
  input sizes_t             half_i,
  input stride_t            stride_i,
  input logic [7:0]         count_full_i,
  input logic [12:0]        exponent_bits_i,
  input logic [1:0]         slot_i
);

  // As in rsa_core
  localparam int unsigned W = 18;
  localparam int unsigned FullWords = (MaxBits + 2 * W + 1) / W + 1;
  localparam int unsigned HalfWords = (MaxBits / 2 + 2 * W + 1) / W + 1;
  localparam int unsigned SlotWidth = $clog2(1 + 5 * FullWords + 6 * HalfWords + 2);
  localparam int unsigned SlotDepth = (KeySlots << SlotWidth) + 3 * FullWords;
  localparam int unsigned SlotAddressWidth = $clog2(SlotDepth);
  localparam int unsigned IndexWidth = 14;

  instruction_t instruction, instruction_q;
  sizes_t full_q, half_q;
  logic [1:0] slot_q;
  logic [2:0] age_q;  // cycles in which nothing changed, up to seven
  logic [SlotAddressWidth-1:0] slot_read, slot_write;
  logic [mont_pkg::AddressWidth-1:0] host_read, host_write;
  logic [IndexWidth-1:0] last, power;
  logic [12:0] times;
  logic [7:0] count;

  logic still;

  assign instruction = Program[pc_i];
  assign still = {instruction_q, full_q, half_q, slot_q} == {instruction, full_i, half_i, slot_i};
  initial age_q = '0;
  always_ff @(posedge clk_i) begin
    instruction_q <= instruction;
    full_q        <= full_i;
    half_q        <= half_i;
    slot_q        <= slot_i;
    if (!still) age_q <= '0;
    else if (age_q != '1) age_q <= age_q + 1'b1;
  end

  rsa_decode #(
    .W(W), .MaxBits(MaxBits), .KeySlots(KeySlots), .FullWords(FullWords), .HalfWords(HalfWords), .SlotWidth(SlotWidth),
    .OperandWords(4096), .IndexWidth(IndexWidth), .SlotAddressWidth(SlotAddressWidth)
  ) u_decode (
    .clk_i, .instruction_i(instruction), .full_i, .half_i, .stride_i, .slot_i, .count_full_i, .exponent_bits_i,
    .slot_read_o(slot_read), .slot_write_o(slot_write), .host_read_o(host_read), .host_write_o(host_write),
    .last_o(last), .power_o(power), .times_o(times), .count_o(count)
  );

  // From the first to the last word: all in the slot, or all in the work area; the pass that empties the work area goes on
  // behind it, and not round to the first slot
  function automatic logic inside_slot(logic [SlotAddressWidth-1:0] first, logic [IndexWidth-1:0] length);
    logic [15:0] from, to;
    from = 16'(first);
    to   = from + 16'(length);
    return from >= 16'(slot_i) << SlotWidth && to < (16'(slot_i) + 16'd1) << SlotWidth;
  endfunction

  function automatic logic inside_work(logic [SlotAddressWidth-1:0] first, logic [IndexWidth-1:0] length);
    logic [15:0] from, to;
    from = 16'(first);
    to   = from + 16'(length);
    return from >= 16'(KeySlots << SlotWidth) && (to < 16'(SlotDepth) || (instruction.length == LengthSlot &&
                                                                           to < 16'd1 << SlotAddressWidth));
  endfunction

  // The last word of an exponent, from its first
  logic [IndexWidth-1:0] exponent;
  assign exponent = instruction.dual ? IndexWidth'((MaxBits / 2 + W - 1) / W - 1) :
                    field_e'(instruction.y.index) == FieldE ? IndexWidth'(1) : IndexWidth'((MaxBits + W - 1) / W - 1);

  always_comb begin
    // rsa_sizes, of lengths up to MaxBits; a job that was let in has a slot there is
    assume (32'(pc_i) < ProgramLength);
    assume (32'(full_i.words) < FullWords && 32'(half_i.words) < HalfWords && 32'(slot_i) < KeySlots);
    // a program ends behind its answer, and between them it only gives the result; what empties all slots checks, marks and answers nothing; only what
    // loads a slot marks it
    if (Program[pc_i].kind == KindRespond) begin
      assert (32'(pc_i) < StartZeroise && Program[pc_i].check == CheckNone);
      assert (Program[pc_i+1].check == CheckNone && Program[pc_i+1].kind inside {KindPass, KindMultiply, KindMode, KindEnd});
      assert (Program[pc_i+1].kind == KindEnd || Program[pc_i+2].kind == KindEnd);
    end
    if (Program[pc_i].kind == KindEnd && 32'(pc_i) < StartZeroise) begin
      assert (Program[pc_i-1].kind == KindRespond || Program[pc_i-2].kind == KindRespond);
    end
    if (32'(pc_i) >= StartZeroise) begin
      assert (Program[pc_i].check == CheckNone && Program[pc_i].kind inside {KindPass, KindMultiply, KindMode, KindEnd});
    end
    if (Program[pc_i].kind == KindMark) assert (32'(pc_i) < StartMultiply);
    // words are sent by the wipe, and of a job that has a result behind its answer
    if (Program[pc_i].kind == KindPass && Program[pc_i].d.space == SpaceStream && 32'(pc_i) < StartZeroise) begin
      assert (Program[pc_i-1].kind == KindRespond && 32'(pc_i) >= StartMultiply && 32'(pc_i) < StartZeroiseSlot);
    end
    // a slot is erased without a check
    if (32'(pc_i) >= StartZeroiseSlot && 32'(pc_i) < StartZeroise) begin
      assert (Program[pc_i].check == CheckNone);
      assert (Program[pc_i].kind inside {KindPass, KindMultiply, KindMode, KindRespond, KindEnd});
    end
    if (still && age_q >= 3'd3 && 32'(pc_i) < StartZeroise) begin
      if (instruction.kind == KindPass && instruction.y.space == SpaceSlot) begin
        assert (inside_slot(slot_read, last) || inside_work(slot_read, last));
      end
      if (instruction.kind == KindPass && instruction.d.space == SpaceSlot) begin
        assert (inside_slot(slot_write, last) || inside_work(slot_write, last));
      end
      if (instruction.kind == KindExponentiate) begin
        assert (inside_slot(slot_read, exponent) || inside_work(slot_read, exponent));
        assert (inside_slot(slot_write, exponent) || inside_work(slot_write, exponent));
      end
      // only what loads or empties a slot writes to it
      if (instruction.kind == KindPass && instruction.d.space == SpaceSlot && 32'(pc_i) >= StartMultiply &&
          32'(pc_i) < StartZeroiseSlot) begin
        assert (!inside_slot(slot_write, last));
      end
      // that they happen: a key is written to the last slot, and used from there
      cover (instruction.d.space == SpaceSlot && inside_slot(slot_write, last) && 32'(slot_i) == KeySlots - 1);
      cover (instruction.kind == KindExponentiate && inside_slot(slot_read, exponent) && 32'(slot_i) == KeySlots - 1);
    end
  end

endmodule
