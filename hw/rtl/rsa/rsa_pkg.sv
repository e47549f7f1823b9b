// SPDX-License-Identifier: Apache-2.0
// The micro-instructions of `rsa_core`: what they name, and how the programs spell them.
package rsa_pkg;

  /* verilator lint_off UNUSEDPARAM */  // not every module that knows the package uses all
  /* verilator lint_off UNUSEDSIGNAL */ // regions that programs name are below 16

  import exp_pkg::region_t;
  import exp_pkg::RegionWidth;

  // Regions are 2^(5+i) words apart, where bit i alone is set
  localparam int unsigned Strides   = 5;
  localparam int unsigned MinStride = 5;
  typedef logic [Strides-1:0] stride_t;

  // Of a modulus length; see rsa_sizes
  typedef struct packed {
    logic [8:0] words;
    logic [8:0] passes;
    logic [9:0] digits;
    stride_t    stride;
  } sizes_t;

  // ---- Places: where a number is
  typedef enum logic [2:0] {
    SpaceNone,     // zero, or nowhere
    SpaceSlot,     // field of the key memory
    SpaceOperand,  // region of mont's operand memory
    SpaceModulus,  // mont's modulus memory; what is written there moves down a word (Nb = (N~ + 1) / 2^W)
    SpaceStream,   // the job's operands; its result
    SpaceUnit,     // the number 1
    SpacePower     // the number 2^(W*(words-3))
  } space_e;

  // Fields of a slot, and of the work area behind the slots
  typedef enum logic [3:0] {
    FieldShifted,   // the word zero and then FieldN: n * 2^W
    FieldN,         // n
    FieldScaled,    // N~ of n, p, q: the scaled moduli
    FieldScaledP,
    FieldScaledQ,
    FieldSquare,    // R^2 modulo n, p, q
    FieldSquareP,
    FieldSquareQ,
    FieldFactorP,   // R * q * (q^-1 mod p) mod n: 1 modulo p, 0 modulo q
    FieldFactorQ,   // R * p * (p^-1 mod q) mod n: 0 modulo p, 1 modulo q
    FieldDp,
    FieldDq,
    FieldE,
    FieldInput,     // work area: the input m
    FieldResult,    //            the result s; while a key is loaded p, then q
    FieldExponent   //            of OpExponentiate
  } field_e;

  // Regions of the operand memory beside those of exp_pkg; 4 to 7 are shared by both contexts
  localparam region_t RegionA     = 1;
  localparam region_t RegionCube  = 3;  // R^3 modulo p, q
  localparam region_t RegionInput = 4;  // two regions: m
  localparam region_t RegionUnit  = 6;  // the number 1
  localparam region_t RegionB     = 7;

  function automatic logic is_shared(region_t region);
    return region[RegionWidth-1:2] == (RegionWidth-2)'(1);
  endfunction

  // From the first region of a context: region * 2^(5+i)
  localparam int unsigned OffsetWidth = RegionWidth + MinStride + Strides - 1;
  function automatic logic [OffsetWidth-1:0] region_offset(region_t region, stride_t stride);
    logic [OffsetWidth-1:0] offset;
    offset = '0;
    for (int unsigned i = 0; i < Strides; i++) begin
      if (stride[i]) offset |= OffsetWidth'(region) << (MinStride + i);
    end
    return offset;
  endfunction

  typedef struct packed {
    space_e     space;
    logic       ctx;
    logic [3:0] index;  // field or region
  } place_t;

  // ---- Passes of the word ALU: a number, low word first, goes through one adder: acc or place <- x +- y
  typedef enum logic [1:0] {
    XZero,
    XSame,    // the accumulator
    XDouble,  // 2 * accumulator
    XDown     // accumulator / 2^W
  } x_e;

  typedef enum logic [2:0] {
    SignPlus,        // x + y
    SignPlusOne,     // x + y + 1
    SignMinus,       // x - y
    SignTowards,     // x + y if the number before was negative, else x - y
    SignIfNegative,  // x + y if the number before was negative, else x
    SignByScale      // x + y if the next bit of the scale factor is set, from the top, else x
  } sign_e;

  typedef enum logic [2:0] {
    LengthFull,      // words of n, and one
    LengthHalf,      // words of p, and one
    LengthPair,      // two words
    LengthExponent,  // of the longest exponent
    LengthSlot,      // all words of a slot
    LengthMemory     // all words of the longest memory; addresses count from the start of the memory
  } length_e;

  typedef enum logic [1:0] {
    TimesOnce,
    TimesWord,   // W
    TimesSquare  // from SpacePower to R^2
  } times_e;

  typedef enum logic [1:0] {CountFull, CountHalf, CountOne, CountExponent} count_e;  // words of an operand's stream

  typedef enum logic [1:0] {
    CheckNone,
    CheckModulus,  // the operand is odd and has its top bit set: StatusBadModulus
    CheckBelow,    // the accumulator is negative: StatusBadOperand
    CheckZero      // the sum was zero: StatusCheckFailed
  } check_e;

  typedef enum logic [1:0] {
    ModeFull,  // modulo n
    ModeHalf,  // modulo p and q
    ModeWide   // modulo p and q, the first operand twice as long, R^2 instead of R
  } mode_e;

  typedef enum logic [2:0] {
    KindPass,
    KindMultiply,      // region d <- a * b / R
    KindExponentiate,
    KindMode,
    KindEndInput,      // the operand stream must be at its end
    KindMark,          // the slot holds a modulus or a key from now on
    KindRespond,       // StatusOk; results may follow
    KindEnd
  } kind_e;

  typedef struct packed {
    kind_e   kind;
    length_e length;  // Pass
    x_e      x;       // Pass
    sign_e   sign;    // Pass
    times_e  times;   // Pass
    count_e  count;   // Pass
    check_e  check;   // Pass
    logic    keep;    // Pass: the sum goes to the accumulator too
    logic    dual;    // Multiply, Exponentiate: in both contexts; Mark: a key
    place_t  y;       // Pass; Multiply: .index is a; Mode: .index is the mode
    place_t  d;       // Pass; Multiply: .index is d
    region_t b;       // Multiply
  } instruction_t;

  // A pass as the word ALU is told it: addresses instead of names
  typedef struct packed {
    x_e     x;
    sign_e  sign;
    logic   keep;
    space_e y;
    space_e d;
  } pass_t;

  // ---- How programs spell them
  localparam place_t Nowhere = '{space: SpaceNone, ctx: 1'b0, index: '0};
  localparam place_t Stream  = '{space: SpaceStream, ctx: 1'b0, index: '0};
  localparam place_t Unit    = '{space: SpaceUnit, ctx: 1'b0, index: '0};
  localparam place_t Power   = '{space: SpacePower, ctx: 1'b0, index: '0};

  function automatic place_t slot(field_e field);
    return '{space: SpaceSlot, ctx: 1'b0, index: field};
  endfunction

  function automatic place_t operand(logic ctx, region_t region);
    return '{space: SpaceOperand, ctx: ctx, index: 4'(region)};
  endfunction

  function automatic place_t modulus(logic ctx);
    return '{space: SpaceModulus, ctx: ctx, index: '0};
  endfunction

  function automatic instruction_t control(kind_e kind, logic dual = 1'b0);
    instruction_t i = '0;
    i.kind = kind;
    i.dual = dual;
    return i;
  endfunction

  // acc <- x sign y, and d <- the same
  function automatic instruction_t pass(length_e length, x_e x, sign_e sign, place_t y, place_t d = Nowhere,
                                        times_e times = TimesOnce, check_e check = CheckNone);
    instruction_t i = control(KindPass);
    i.length = length;
    i.x = x;
    i.sign = sign;
    i.y = y;
    i.d = d;
    i.keep = 1'b1;
    i.times = times;
    i.check = check;
    return i;
  endfunction

  // d <- y; the accumulator stays
  function automatic instruction_t move(length_e length, place_t y, place_t d, sign_e sign = SignPlus);
    instruction_t i = pass(length, XZero, sign, y, d);
    i.keep = 1'b0;
    return i;
  endfunction

  // acc, d <- the next operand
  function automatic instruction_t take(length_e length, count_e count, place_t d, check_e check = CheckNone);
    instruction_t i = pass(length, XZero, SignPlus, Stream, d, TimesOnce, check);
    i.count = count;
    return i;
  endfunction

  function automatic instruction_t switch_to(mode_e mode);
    instruction_t i = control(KindMode);
    i.y.index = 4'(mode);
    return i;
  endfunction

  function automatic instruction_t multiply(logic dual, region_t d, region_t a, region_t b);
    instruction_t i = control(KindMultiply, dual);
    i.y.index = 4'(a);
    i.b = b;
    i.d.index = 4'(d);
    return i;
  endfunction

  // RegionAccumulator <- x ^ exponent; in both contexts, each with its own
  function automatic instruction_t exponentiate(logic dual, field_e exponent_0, field_e exponent_1);
    instruction_t i = control(KindExponentiate, dual);
    i.y.index = exponent_0;
    i.d.index = exponent_1;
    return i;
  endfunction

  /* verilator lint_on UNUSEDPARAM */
  /* verilator lint_on UNUSEDSIGNAL */

endpackage
