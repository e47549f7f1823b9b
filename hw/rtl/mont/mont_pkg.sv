// SPDX-License-Identifier: Apache-2.0
// The words `mont` and its callers share.
package mont_pkg;

  localparam int unsigned AddressWidth = 13;  // operand memory: at most 8192 words, shared by both contexts
  localparam int unsigned IndexWidth   = 9;   // a word of a modulus: at most 512 words each context

  // One multiplication. Addresses are those of the lowest words; any word of the operand memory may be one.
  typedef struct packed {
    logic                    ctx;  // which modulus
    logic [AddressWidth-1:0] a;
    logic [AddressWidth-1:0] b;
    logic [AddressWidth-1:0] d;    // where the result goes; may be a or b
  } op_t;

  // Sizes of every operation; static while busy.
  typedef struct packed {
    logic [IndexWidth-1:0] words;   // of an operand, ceil((bits of n + W + 2) / W), at least 2
    logic [IndexWidth-1:0] passes;  // at least ceil(words / Rows); passes * Rows at most digits + 1024
    logic [IndexWidth-1:0] digits;  // words of a that are read, at most passes * Rows; zeros follow. Mostly = words
  } config_t;

  // A word that the host port reaches.
  typedef struct packed {
    logic                    modulus;  // 0: operand memory; 1: modulus memory, word {ctx, index} of Nb
    logic [AddressWidth-1:0] word;
  } host_address_t;

  /* verilator lint_off UNUSEDPARAM */ // for callers
  localparam int unsigned HostReadLatency = 4;  // cycles from an address to its data
  /* verilator lint_on UNUSEDPARAM */

  // What travels through the rows beside each word.
  typedef struct packed {
    logic valid;
    logic first;  // word 0 of a pass
    logic last;   // word words-1 of a pass
    logic ctx;
    logic store;  // last pass: the words are the result
  } slot_t;

endpackage
