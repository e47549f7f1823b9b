// SPDX-License-Identifier: Apache-2.0
// AES of FIPS 197: what the modules of this folder share. Byte 0 of a block or key, the first in memory, is bits 7:0,
// as a little-endian bus delivers it; a column is four bytes, a row every fourth.
package aes_pkg;

  // Not every module that knows the package uses all of it
  // verilator lint_off UNUSEDPARAM
  // Of a key of 128, 192 or 256 bits
  function automatic int unsigned rounds(int unsigned key_bits);
    return key_bits / 32 + 6;
  endfunction

  typedef logic [15:0][7:0] block_t;
  typedef logic [255:0][7:0] table_t;

  // The next round key but for what the S-boxes give (see aes_key_step), with the constant of its round
  function automatic block_t key_base(block_t key, logic [7:0] constant);
    logic [3:0][31:0] words, base;
    words   = key;
    base[0] = words[0] ^ {24'd0, constant};
    for (int unsigned i = 1; i < 4; i++) base[i] = base[i-1] ^ words[i];
    return base;
  endfunction

  // Times x in GF(2^8), modulo x^8 + x^4 + x^3 + x + 1
  function automatic logic [7:0] xtime(logic [7:0] a);
    return {a[6:0], 1'b0} ^ (a[7] ? 8'h1B : 8'h00);
  endfunction

  function automatic logic [7:0] product(logic [7:0] a, logic [7:0] b);
    logic [7:0] sum, power;
    sum   = '0;
    power = a;
    for (int unsigned i = 0; i < 8; i++) begin
      if (b[i]) sum ^= power;
      power = xtime(power);
    end
    return sum;
  endfunction

  // SubBytes by its definition (5.1.1): the inverse, which is the 254th power, then the affine map
  function automatic logic [7:0] substituted(logic [7:0] a);
    logic [7:0] power, inverse;
    power   = a;
    inverse = 8'h01;
    for (int unsigned i = 1; i < 8; i++) begin
      power   = product(power, power);
      inverse = product(inverse, power);
    end
    return inverse ^ {inverse[6:0], inverse[7]} ^ {inverse[5:0], inverse[7:6]} ^ {inverse[4:0], inverse[7:5]} ^
        {inverse[3:0], inverse[7:4]} ^ 8'h63;
  endfunction

  // The affine map backwards
  function automatic logic [7:0] unaffine(logic [7:0] a);
    return {a[6:0], a[7]} ^ {a[4:0], a[7:5]} ^ {a[1:0], a[7:2]} ^ 8'h05;
  endfunction

  function automatic table_t forward_table();
    table_t found;
    for (int unsigned i = 0; i < 256; i++) found[i] = substituted(8'(i));
    return found;
  endfunction

  function automatic table_t inverse_table();
    table_t found;
    for (int unsigned i = 0; i < 256; i++) found[substituted(8'(i))] = 8'(i);
    return found;
  endfunction

  // Times x, the other value that MixColumns takes of a byte
  function automatic table_t doubled_table();
    table_t found;
    for (int unsigned i = 0; i < 256; i++) found[i] = xtime(substituted(8'(i)));
    return found;
  endfunction

  localparam table_t Forward = forward_table();
  localparam table_t Doubled = doubled_table();
  localparam table_t Inverse = inverse_table();

  // One bit of all entries at a time
  typedef logic [7:0][255:0] bits_t;

  function automatic bits_t bits_of(table_t values);
    bits_t found;
    for (int unsigned i = 0; i < 256; i++) begin
      for (int unsigned place = 0; place < 8; place++) found[place][i] = values[i][place];
    end
    return found;
  endfunction

  localparam bits_t ForwardBits = bits_of(Forward);
  localparam bits_t DoubledBits = bits_of(Doubled);
  localparam bits_t InverseBits = bits_of(Inverse);

  // Which of the tables a look-up has
  typedef enum logic [1:0] {
    LookForward,
    LookDoubled,
    LookInverse
  } look_e;

  // Row r goes r columns to the left
  function automatic block_t shift_rows(block_t a);
    block_t shifted;
    for (int unsigned i = 0; i < 16; i++) shifted[i] = a[(i + 4 * (i % 4)) % 16];
    return shifted;
  endfunction

  function automatic block_t inverse_shift_rows(block_t a);
    block_t shifted;
    for (int unsigned i = 0; i < 16; i++) shifted[(i + 4 * (i % 4)) % 16] = a[i];
    return shifted;
  endfunction

  function automatic block_t mix_columns(block_t a);
    block_t mixed;
    for (int unsigned c = 0; c < 16; c += 4) begin
      for (int unsigned r = 0; r < 4; r++) begin
        mixed[c+r] = xtime(a[c+r] ^ a[c+(r+1)%4]) ^ a[c+(r+1)%4] ^ a[c+(r+2)%4] ^ a[c+(r+3)%4];
      end
    end
    return mixed;
  endfunction

  // The inverse is mix_columns after a sum of every second byte times 4 (Daemen, Rijmen 2002, 4.1.3)
  function automatic block_t inverse_mix_columns(block_t a);
    block_t prepared;
    for (int unsigned c = 0; c < 16; c += 4) begin
      for (int unsigned r = 0; r < 4; r++) prepared[c+r] = a[c+r] ^ xtime(xtime(a[c+r] ^ a[c+(r+2)%4]));
    end
    return mix_columns(prepared);
  endfunction
  // verilator lint_on UNUSEDPARAM

endpackage
