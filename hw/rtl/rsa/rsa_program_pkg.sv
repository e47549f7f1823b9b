// SPDX-License-Identifier: Apache-2.0
// The microprogram of `rsa_core`: one straight line for each job. hw/garner_hw/model/rsa.py does the same on big integers
// and asserts the bounds of every step; docs/hardware/rsa.md explains the steps.
//
// Contract    No instruction depends on data: a program runs from its start to its end, or stops with a status where a
//             check fails. A job is answered once, by KindRespond or by the check that stops it; KindEnd comes last.
package rsa_program_pkg;

  import rsa_pkg::*;
  import exp_pkg::*;

  /* verilator lint_off ASCRANGE */ // a program is written from its start

  // A number the size of n or p from the operands of the job, which must be a modulus; then N~ and R^2 of it.
  localparam int unsigned PrepareLength = 6;
  function automatic instruction_t [0:PrepareLength-1] prepare(length_e length, field_e n, field_e scaled,
                                                               field_e square);
    return {
      take(length, length == LengthFull ? CountFull : CountHalf, slot(n), CheckModulus),
      pass(length, XZero, SignPlus, Nowhere),
      pass(length, XDouble, SignByScale, slot(n), slot(scaled), TimesWord),   // n * (-n^-1 mod 2^W)
      pass(length, XZero, SignPlus, Power),
      pass(length, XDouble, SignTowards, slot(n), Nowhere, TimesSquare),      // within -n .. n
      pass(length, XSame, SignIfNegative, slot(n), slot(square))
    };
  endfunction

  // The accumulator modulo n: x < 2^(W+1)*n is divided by n*2^W without restoring, one bit a pass; the remainder times
  // 2^W is left.
  localparam int unsigned CanonicalLength = 3;
  localparam instruction_t [0:CanonicalLength-1] Canonical = {
    pass(LengthFull, XSame, SignMinus, slot(FieldShifted)),
    pass(LengthFull, XDouble, SignTowards, slot(FieldShifted), Nowhere, TimesWord),
    pass(LengthFull, XSame, SignIfNegative, slot(FieldShifted))
  };

  // Context 0 of mont is ready to work modulo n
  localparam int unsigned FullLength = 4;
  localparam instruction_t [0:FullLength-1] Full = {
    switch_to(ModeFull),
    move(LengthFull, slot(FieldScaled), modulus(0), SignPlusOne),
    move(LengthFull, slot(FieldSquare), operand(0, RegionSquare)),
    move(LengthFull, Unit, operand(0, RegionUnit))
  };

  // An operand below n into a place
  localparam int unsigned BelowLength = 2;
  function automatic instruction_t [0:BelowLength-1] below(place_t place);
    return {
      take(LengthFull, CountFull, place),
      pass(LengthFull, XSame, SignMinus, slot(FieldN), Nowhere, TimesOnce, CheckBelow)
    };
  endfunction

  localparam int unsigned LoadModulusLength = 1 + PrepareLength + 4;
  localparam instruction_t [0:LoadModulusLength-1] LoadModulus = {
    move(LengthSlot, Nowhere, slot(FieldShifted)),  // nothing of the key before
    prepare(LengthFull, FieldN, FieldScaled, FieldSquare),
    control(KindEndInput),
    control(KindMark),
    control(KindRespond),
    control(KindEnd)
  };

  // RegionA becomes R * q * (q^-1 mod p); R minus that is the other factor, made positive by adding 2*N~. Of q, q^-1 and
  // the factors nothing stays outside of the slot: RegionB is overwritten by R mod n, the others by zeros.
  localparam int unsigned LoadKeyLength = 1 + PrepareLength + 1 + 2 * PrepareLength + 5 + FullLength + 2 + 4 + 5 + 2 + 3;
  localparam instruction_t [0:LoadKeyLength-1] LoadKey = {
    move(LengthSlot, Nowhere, slot(FieldShifted)),
    prepare(LengthFull, FieldN, FieldScaled, FieldSquare),
    take(LengthPair, CountOne, slot(FieldE)),
    prepare(LengthHalf, FieldResult, FieldScaledP, FieldSquareP),
    prepare(LengthHalf, FieldResult, FieldScaledQ, FieldSquareQ),
    switch_to(ModeFull),
    take(LengthHalf, CountHalf, slot(FieldDp)),
    take(LengthHalf, CountHalf, slot(FieldDq)),
    take(LengthFull, CountHalf, operand(0, RegionB)),
    control(KindEndInput),
    Full,
    move(LengthFull, Nowhere, operand(0, RegionA)),
    move(LengthHalf, slot(FieldResult), operand(0, RegionA)),
    multiply(0, RegionA, RegionA, RegionSquare),
    multiply(0, RegionA, RegionA, RegionB),
    multiply(0, RegionA, RegionA, RegionSquare),
    multiply(0, RegionAccumulator, RegionUnit, RegionSquare),
    pass(LengthFull, XZero, SignPlus, operand(0, RegionA), slot(FieldFactorP)),
    pass(LengthFull, XZero, SignPlus, operand(0, RegionAccumulator), operand(0, RegionB)),
    pass(LengthFull, XSame, SignMinus, operand(0, RegionA)),
    pass(LengthFull, XSame, SignPlus, slot(FieldScaled)),
    pass(LengthFull, XSame, SignPlus, slot(FieldScaled), slot(FieldFactorQ)),
    pass(LengthFull, XZero, SignPlus, Nowhere, slot(FieldResult)),  // SEC_CM: KEY.NOT_READABLE
    move(LengthFull, Nowhere, operand(0, RegionA)),
    control(KindMark, 1),
    control(KindRespond),
    control(KindEnd)
  };

  localparam int unsigned MultiplyLength = FullLength + 2 * BelowLength + 3 + CanonicalLength + 3;
  localparam instruction_t [0:MultiplyLength-1] Multiply = {
    Full,
    below(operand(0, RegionA)),
    below(operand(0, RegionB)),
    control(KindEndInput),
    multiply(0, RegionA, RegionA, RegionB),
    pass(LengthFull, XZero, SignPlus, operand(0, RegionA)),
    Canonical,
    control(KindRespond),
    pass(LengthFull, XDown, SignPlus, Nowhere, Stream),
    control(KindEnd)
  };

  localparam int unsigned ExponentiateLength = FullLength + BelowLength + 7 + CanonicalLength + 3;
  localparam instruction_t [0:ExponentiateLength-1] Exponentiate = {
    Full,
    below(operand(0, RegionA)),
    take(LengthExponent, CountExponent, slot(FieldExponent)),
    control(KindEndInput),
    multiply(0, RegionTable, RegionUnit, RegionSquare),
    multiply(0, RegionTable + 1, RegionA, RegionSquare),
    exponentiate(0, FieldExponent, FieldExponent),
    multiply(0, RegionAccumulator, RegionAccumulator, RegionUnit),
    pass(LengthFull, XZero, SignPlus, operand(0, RegionAccumulator)),
    Canonical,
    control(KindRespond),
    pass(LengthFull, XDown, SignPlus, Nowhere, Stream),
    control(KindEnd)
  };

  // sp and sq stay redundant until s = sp * FactorP + sq * FactorQ mod n. s, canonical, is written twice: RegionA is
  // raised to e and compared with m, FieldResult is what is sent. They are compared last of all. A bit that turns over
  // later, while words of FieldResult wait to be sent, and those in the packer's queue, is not found.
  localparam int unsigned PrivateLength =
      1 + BelowLength + 2 + 7 + 2 + 3 + 8 + FullLength + 5 + CanonicalLength + 3 + 3 + CanonicalLength + 6;
  localparam instruction_t [0:PrivateLength-1] Private = {
    switch_to(ModeHalf),
    below(slot(FieldInput)),
    control(KindEndInput),
    move(LengthFull, slot(FieldInput), operand(0, RegionInput)),
    // constants of both contexts
    move(LengthHalf, slot(FieldScaledP), modulus(0), SignPlusOne),
    move(LengthHalf, slot(FieldScaledQ), modulus(1), SignPlusOne),
    move(LengthHalf, slot(FieldSquareP), operand(0, RegionSquare)),
    move(LengthHalf, slot(FieldSquareQ), operand(1, RegionSquare)),
    move(LengthHalf, Unit, operand(0, RegionUnit)),
    multiply(1, RegionCube, RegionSquare, RegionSquare),
    multiply(1, RegionTable, RegionUnit, RegionSquare),
    // m mod p and m mod q, in Montgomery form: m * R^3 / R^2
    switch_to(ModeWide),
    multiply(1, RegionTable + 1, RegionInput, RegionCube),
    // the halves
    switch_to(ModeHalf),
    exponentiate(1, FieldDp, FieldDq),
    multiply(1, RegionAccumulator, RegionAccumulator, RegionUnit),
    // recombination
    pass(LengthFull, XZero, SignPlus, Nowhere),
    pass(LengthHalf, XZero, SignPlus, operand(0, RegionAccumulator)),
    switch_to(ModeFull),
    pass(LengthFull, XSame, SignPlus, Nowhere, operand(0, RegionA)),
    pass(LengthHalf, XZero, SignPlus, operand(1, RegionAccumulator)),
    pass(LengthFull, XSame, SignPlus, Nowhere, operand(0, RegionB)),
    move(LengthFull, slot(FieldFactorP), operand(0, RegionCube)),
    move(LengthFull, slot(FieldFactorQ), operand(0, RegionInput)),
    Full,
    multiply(0, RegionA, RegionA, RegionCube),
    multiply(0, RegionB, RegionB, RegionInput),
    pass(LengthFull, XZero, SignPlus, operand(0, RegionA)),
    pass(LengthFull, XSame, SignPlus, operand(0, RegionB)),
    // the check of s, canonical
    multiply(0, RegionTable, RegionUnit, RegionSquare),
    Canonical,
    pass(LengthFull, XDown, SignPlus, Nowhere, operand(0, RegionA)),
    multiply(0, RegionTable + 1, RegionA, RegionSquare),
    pass(LengthFull, XSame, SignPlus, Nowhere, slot(FieldResult)),
    exponentiate(0, FieldE, FieldE),
    multiply(0, RegionAccumulator, RegionAccumulator, RegionUnit),
    pass(LengthFull, XZero, SignPlus, operand(0, RegionAccumulator)),
    Canonical,
    pass(LengthFull, XDown, SignMinus, slot(FieldInput), Nowhere, TimesOnce, CheckZero),  // SEC_CM: RESULT.CHECKED
    pass(LengthFull, XZero, SignPlus, operand(0, RegionA)),
    pass(LengthFull, XSame, SignMinus, slot(FieldResult), Nowhere, TimesOnce, CheckZero),  // SEC_CM: RESULT.CHECKED
    control(KindRespond),
    move(LengthFull, slot(FieldResult), Stream),  // SEC_CM: KEY.NOT_READABLE
    control(KindEnd)
  };

  // What the key of the slot may be in beside the slot is overwritten too; also after a job that was to load one and was
  // refused. 0 * 0 in both contexts washes the rows and the memory of partial sums.
  localparam int unsigned WashLength = 5;
  localparam instruction_t [0:WashLength-1] Wash = {  // SEC_CM: ERASE.WORKING_MEMORY
    move(LengthMemory, Nowhere, operand(0, RegionAccumulator)),
    move(LengthMemory, Nowhere, modulus(0)),
    switch_to(ModeFull),
    multiply(1, RegionAccumulator, RegionAccumulator, RegionAccumulator),
    switch_to(ModeFull)
  };

  localparam int unsigned ZeroiseSlotLength = 2 + WashLength + 2;
  localparam instruction_t [0:ZeroiseSlotLength-1] ZeroiseSlot = {  // SEC_CM: ERASE.SLOT
    move(LengthSlot, Nowhere, slot(FieldShifted)),
    pass(LengthSlot, XZero, SignPlus, Nowhere, slot(FieldInput)),  // the work area, shorter than a slot; the accumulator
    Wash,
    control(KindRespond),
    control(KindEnd)
  };

  // Everything. Words sent while no result goes out overwrite the packer's queue and are thrown away.
  localparam int unsigned ZeroiseLength = 2 + WashLength + 1;
  localparam instruction_t [0:ZeroiseLength-1] Zeroise = {  // SEC_CM: ERASE.CONTROL
    pass(LengthMemory, XZero, SignPlus, Nowhere, slot(FieldShifted)),
    move(LengthFull, Nowhere, Stream),
    Wash,
    control(KindEnd)
  };

  localparam int unsigned StartLoadModulus  = 0;
  localparam int unsigned StartLoadKey      = StartLoadModulus + LoadModulusLength;
  localparam int unsigned StartMultiply     = StartLoadKey + LoadKeyLength;
  localparam int unsigned StartExponentiate = StartMultiply + MultiplyLength;
  localparam int unsigned StartPrivate      = StartExponentiate + ExponentiateLength;
  localparam int unsigned StartZeroiseSlot  = StartPrivate + PrivateLength;
  localparam int unsigned StartZeroise      = StartZeroiseSlot + ZeroiseSlotLength;
  localparam int unsigned ProgramLength     = StartZeroise + ZeroiseLength;
  /* verilator lint_off UNUSEDPARAM */ // some modules only know where programs start
  localparam instruction_t [0:ProgramLength-1] Program = {
    LoadModulus, LoadKey, Multiply, Exponentiate, Private, ZeroiseSlot, Zeroise
  };
  /* verilator lint_on UNUSEDPARAM */

  /* verilator lint_on ASCRANGE */

  // The program of a job; of an unknown one, anything
  localparam int unsigned PcWidth = $clog2(ProgramLength);
  function automatic logic [PcWidth-1:0] start_of(garner_pkg::op_e op);
    logic [15:0][PcWidth-1:0] starts;
    starts = '0;
    starts[garner_pkg::OpLoadModulus]  = PcWidth'(StartLoadModulus);
    starts[garner_pkg::OpLoadKey]      = PcWidth'(StartLoadKey);
    starts[garner_pkg::OpMultiply]     = PcWidth'(StartMultiply);
    starts[garner_pkg::OpExponentiate] = PcWidth'(StartExponentiate);
    starts[garner_pkg::OpPrivate]      = PcWidth'(StartPrivate);
    starts[garner_pkg::OpZeroise]      = PcWidth'(StartZeroiseSlot);
    return starts[op];
  endfunction

endpackage
