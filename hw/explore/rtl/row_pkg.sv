// SPDX-License-Identifier: Apache-2.0
// What the row accelerators share: their names, how many words a step takes, and which port does what.
package row_pkg;

  typedef enum logic [2:0] {
    Cios    = 3'd0,  // one row, two words a step                                 the thesis (Ramesh 2020)
    Fios    = 3'd1,  // a product word and a reduction word a step                the thesis
    TwoRow  = 3'd2,  // the same word of two rows a step                          the thesis, its own proposal
    RowChain = 3'd3  // r rows in a chain of multiply-add cells                   ours
  } algorithm_e;

  // Ports: words that may cross to or from the operand memories in a cycle; 0 is as many as a step wants.
  //
  //                 ports    2          3          4
  //   Cios, TwoRow, RowChain x, t       x, t, t    x, x, t, t
  //   Fios                   -          x, n, t    x, n, t, t
  //
  // One t port reads and writes in turn; with two, one reads and one writes.

  function automatic int unsigned group(algorithm_e algorithm, int unsigned unroll);  // words of t a step
    return algorithm == Cios ? 2 * unroll : unroll;
  endfunction

  function automatic int unsigned x_ports(algorithm_e algorithm, int unsigned ports, int unsigned words);
    if (ports == 0) return words;
    return (ports == 4 && algorithm != Fios && words >= 2) ? 2 : 1;
  endfunction

  function automatic int unsigned t_ports(algorithm_e algorithm, int unsigned ports, int unsigned words);
    if (ports == 0) return 2 * words;
    return (ports == 2 || (ports == 3 && algorithm == Fios)) ? 1 : 2;
  endfunction

  function automatic int unsigned max(int unsigned a, int unsigned b);
    return a > b ? a : b;
  endfunction

endpackage
