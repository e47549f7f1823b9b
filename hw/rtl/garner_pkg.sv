// SPDX-License-Identifier: Apache-2.0
// The words every module and every host of the accelerator shares: operations, job, status codes.
//
// A *job* is one operation with its operands: `job_t` says what to do; the operands follow as a stream of 32-bit words,
// numbers little-endian, ceil(bits / 32) words each, in the order listed at `op_e`. The answer is a `response_t` and a
// stream of result words (none when the status is not StatusOk).
//
// Where a key is: in its slot, and from the first OpPrivate on parts of it are in the working memories of the cores too,
// which all slots share. A key that is loaded over it replaces the slot alone. What reset, the shell's CONTROL.zeroise and
// OpZeroise erase is defined in docs/integration.md, "What is erased".
package garner_pkg;

  /* verilator lint_off UNUSEDPARAM */ // not every module that knows the package has a stream
  localparam int unsigned DataWidth = 32;  // of every stream of operands and results
  /* verilator lint_on UNUSEDPARAM */

  typedef enum logic [3:0] {
    OpLoadModulus = 4'd1,  // in: n                             prepares the slot for OpMultiply and OpExponentiate
    OpLoadKey     = 4'd2,  // in: n, e, p, q, dp, dq, qinv      prepares the slot for all operations; e is one word,
                           //     p, q, dp, dq, qinv have half the words of n
    OpMultiply    = 4'd3,  // in: a, b     out: a*b*2^-R mod n  one Montgomery multiplication; R: capability register
    OpExponentiate = 4'd4, // in: base, exponent (exponent_bits)   out: base^exponent mod n
    OpPrivate     = 4'd5,  // in: m        out: m^d mod n       CRT halves, recombination, checked: s^e mod n = m
    OpZeroise     = 4'd6   // erases the slot, and all working memories and registers whichever key used them
  } op_e;

  typedef enum logic [1:0] {
    SchemeFixedWindow   = 2'd0,  // constant time: the cycle count depends on lengths alone
    SchemeLeftToRight   = 2'd1,  // not constant time, for research and public exponents
    SchemeRightToLeft   = 2'd2,  // not constant time
    SchemeSlidingWindow = 2'd3   // not constant time
  } scheme_e;

  typedef struct packed {
    op_e         op;
    scheme_e     scheme;         // of OpExponentiate; ignored by the others
    logic [7:0]  slot;           // key slot
    logic [12:0] bits;           // length of n: 512..4096, a multiple of 64; ignored but by OpLoadModulus, OpLoadKey
    logic [12:0] exponent_bits;  // length of the exponent of OpExponentiate, 1..4096
    logic [15:0] tag;            // comes back with the response
  } job_t;

  typedef enum logic [3:0] {
    StatusOk          = 4'd0,
    StatusBadOp       = 4'd1,  // unknown operation
    StatusBadSlot     = 4'd2,  // no such slot
    StatusEmptySlot   = 4'd3,  // nothing loaded there, or only a modulus where a key is needed
    StatusBadLength   = 4'd4,  // bits or exponent_bits outside what was built, or the stream ended early or late
    StatusBadModulus  = 4'd5,  // even, or its top bit is not set
    StatusBadOperand  = 4'd6,  // operand not below the modulus
    StatusCheckFailed = 4'd7,  // s^e mod n was not m: nothing is released
    StatusBusFault    = 4'd8,  // reading or writing the host's memory failed (never from a core)
    StatusBadDescriptor = 4'd9 // reserved bits are set or an address is not aligned (never from a core)
  } status_e;

  typedef struct packed {
    status_e     status;
    logic [15:0] tag;
  } response_t;

  // What a shell has to know of an operation to carry its job; all else is the core's.

  // The operand stream of the job has words. Of an unknown operation too, so that a core can refuse it.
  function automatic logic has_operands(op_e op);
    return op != OpZeroise;
  endfunction

  // A StatusOk answer is followed by result words.
  function automatic logic has_result(op_e op);
    return op == OpMultiply || op == OpExponentiate || op == OpPrivate;
  endfunction

  // Changes what the cores hold, so that every core must do it; the answer is the worst of theirs.
  function automatic logic is_broadcast(op_e op);
    return op == OpLoadModulus || op == OpLoadKey || op == OpZeroise;
  endfunction

endpackage
