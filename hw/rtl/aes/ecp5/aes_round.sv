// SPDX-License-Identifier: Apache-2.0
// One round of the cipher in cells of the ECP5, with three wires from register to register:
//
//   state_i   S-boxes, seven bits     choice by the eighth, and sums     sum           register
//   -------> aes_halves, both halves -> s, t: 4 to 6 inputs ------------> 4 inputs ---> outside
//
// MixColumns gives row r of a column a, b, c, d (from there on downwards) as 2a + 3b + c + d, here as
//
//   (2a + add) + (2b + b) + c + d      each bracket a function of bits of one byte, before its choice by the eighth bit
//
// and 2a is a table of its own in those bits that are more than a shift (1, 3, 4). The last cell has no more inputs than a
// LUT4, for a wider one does not reach a flip-flop of its own slice.
//
// Contract    See the generic twin.
module aes_round #(
  parameter bit Table = 1'b1
) (
  input  aes_pkg::block_t state_i,
  input  logic            round_i,
  input  aes_pkg::block_t add_i,
  input  aes_pkg::block_t key_i,
  output aes_pkg::block_t state_o,
  output aes_pkg::block_t last_o
);

  // Contents of the cells, by their inputs; low and high are the halves between which upper chooses
  function automatic logic [15:0] gated_table();
    logic gate, upper, high, low;
    logic [15:0] found;
    for (int unsigned i = 0; i < 16; i++) begin
      {gate, upper, high, low} = 4'(i);
      found[i] = gate && (upper ? high : low);
    end
    return found;
  endfunction

  function automatic logic [15:0] added_table();
    logic addend, upper, high, low;
    logic [15:0] found;
    for (int unsigned i = 0; i < 16; i++) begin
      {addend, upper, high, low} = 4'(i);
      found[i] = addend ^ (upper ? high : low);
    end
    return found;
  endfunction

  function automatic logic [31:0] gated_added_table();
    logic gate, addend, upper, high, low;
    logic [31:0] found;
    for (int unsigned i = 0; i < 32; i++) begin
      {gate, addend, upper, high, low} = 5'(i);
      found[i] = addend ^ (gate && (upper ? high : low));
    end
    return found;
  endfunction

  function automatic logic [63:0] gated_sum_table();
    logic gate, upper, high, low, more_high, more_low;
    logic [63:0] found;
    for (int unsigned i = 0; i < 64; i++) begin
      {gate, upper, high, low, more_high, more_low} = 6'(i);
      found[i] = gate && (upper ? high ^ more_high : low ^ more_low);
    end
    return found;
  endfunction

  localparam logic [7:0]  OwnTable   = 8'b0001_1010;  // bits of 2a with a table of their own
  localparam logic [15:0] SumOfFour  = 16'h6996;
  localparam logic [15:0] Gated      = gated_table();
  localparam logic [15:0] Added      = added_table();
  localparam logic [31:0] GatedAdded = gated_added_table();
  localparam logic [63:0] GatedSum   = gated_sum_table();

  // Behind ShiftRows: the eighth bit of a byte, and both halves of S and of 2S
  aes_pkg::block_t moved, low, high, twice_low, twice_high;
  assign moved = aes_pkg::shift_rows(state_i);

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    if (Table) begin : gen_table
      logic [7:0] own_low, own_high;
      aes_halves #(
        .Look(aes_pkg::LookForward)
      ) u_halves (
        .data_i(moved[i][6:0]),
        .low_o (low[i]),
        .high_o(high[i])
      );
      aes_halves #(
        .Look(aes_pkg::LookDoubled),
        .Bits(OwnTable)
      ) u_doubled (
        .data_i(moved[i][6:0]),
        .low_o (own_low),
        .high_o(own_high)
      );
      assign twice_low[i]  = (own_low & OwnTable) | ({low[i][6:0], low[i][7]} & ~OwnTable);
      assign twice_high[i] = (own_high & OwnTable) | ({high[i][6:0], high[i][7]} & ~OwnTable);
    end else begin : gen_gates
      aes_sbox #(
        .Table(1'b0)
      ) u_sbox (
        .data_i(moved[i]),
        .data_o(low[i])
      );
      assign high[i]       = low[i];
      assign twice_low[i]  = aes_pkg::xtime(low[i]);
      assign twice_high[i] = twice_low[i];
    end
  end

  aes_pkg::block_t gated, added, mixed;
  for (genvar i = 0; i < 16; i++) begin : gen_sum
    localparam int unsigned Column = i / 4 * 4;
    localparam int unsigned Second = Column + (i + 1) % 4, Third = Column + (i + 2) % 4, Fourth = Column + (i + 3) % 4;
    for (genvar b = 0; b < 8; b++) begin : gen_bit
      lookup #(
        .Inputs  (4),
        .Contents(Gated)
      ) u_gated (
        .address_i({round_i, moved[i][7], high[i][b], low[i][b]}),
        .data_o   (gated[i][b])
      );
      lookup #(
        .Inputs  (5),
        .Contents(GatedAdded)
      ) u_added (
        .address_i({round_i, add_i[i][b], moved[i][7], twice_high[i][b], twice_low[i][b]}),
        .data_o   (added[i][b])
      );
      lookup #(
        .Inputs  (6),
        .Contents(GatedSum)
      ) u_mixed (
        .address_i({round_i, moved[Second][7], twice_high[Second][b], twice_low[Second][b], high[Second][b],
                    low[Second][b]}),
        .data_o   (mixed[i][b])
      );
      lookup #(
        .Inputs  (4),
        .Contents(SumOfFour)
      ) u_sum (
        .address_i({added[i][b], mixed[i][b], gated[Third][b], gated[Fourth][b]}),
        .data_o   (state_o[i][b])
      );
      lookup #(
        .Inputs  (4),
        .Contents(Added)
      ) u_last (
        .address_i({key_i[i][b], moved[i][7], high[i][b], low[i][b]}),
        .data_o   (last_o[i][b])
      );
    end
  end

endmodule
