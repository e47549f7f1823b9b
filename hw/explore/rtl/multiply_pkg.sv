// SPDX-License-Identifier: Apache-2.0
// The kinds of multiplier that `multiply_add` can be: values of the parameter `Multiplier` of the row accelerators.
package multiply_pkg;

  typedef enum int unsigned {
    Operator = 0,  // the synthesiser's own, of the operator *
    Booth    = 1,  // Booth digits in carry chains (booth_mac)
    Array    = 2,  // gated adders in carry chains (array_mac)
    Block    = 3   // the family's multiplier blocks, registers inside (block_mac)
  } multiplier_e;

endpackage
