// SPDX-License-Identifier: Apache-2.0
// What travels between the parts of an AES engine; beside each the other side's readiness.
package aes_engine_pkg;

  // A message's offer to the cipher: a block, or a key for the slot.
  typedef struct packed {
    logic            valid;
    logic            key;    // the block is a key; then not valid
    logic            first;  // of its message: chained to the IV, not to the block before
    logic [7:0]      slot;
    aes_pkg::block_t iv;
    aes_pkg::block_t block;
  } to_cipher_t;

  typedef struct packed {
    logic            valid;
    logic            refused;  // the slot is empty
    aes_pkg::block_t block;
  } from_cipher_t;

  // The end of a fragment or of a key's load.
  typedef struct packed {
    logic                             valid;
    aes_descriptor_pkg::aes_status_e  status;
    logic [15:0]                      index;   // of its descriptor in the ring, modulo 2^16
    logic [15:0]                      tag;
    logic                             marked;  // interrupt when it is completed
    logic [31:0]                      cycles;
  } ended_t;

endpackage
