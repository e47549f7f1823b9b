// SPDX-License-Identifier: Apache-2.0
// The words `exponentiator` and its caller share: where operands lie in the memory of `mont`.
package exp_pkg;

  // A region of the operand memory is one operand. Regions of a context are numbered from its base, a stride apart.
  localparam int unsigned RegionWidth = 6;
  typedef logic [RegionWidth-1:0] region_t;

  /* verilator lint_off UNUSEDPARAM */ // not every module that knows the package uses all
  localparam region_t RegionAccumulator = 0;  // before: R mod n; after: the power, in Montgomery form
  localparam region_t RegionSquare      = 2;  // used by SchemeSlidingWindow: x^2
  localparam region_t RegionTable       = 8;  // [0]: R mod n (digit 0), [1]: the base x in Montgomery form, ...
  /* verilator lint_on UNUSEDPARAM */

  typedef struct packed {
    logic    ctx;
    region_t a;
    region_t b;
    region_t d;
  } region_op_t;

endpackage
