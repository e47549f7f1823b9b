// SPDX-License-Identifier: Apache-2.0
// The rows in a chain. b, n and the flags travel HopCycles a row, as the partial sum does; the digits of a come one
// a cycle and travel one register less a row, so that digit i reaches row i with word 0 of b. Nothing is broadcast.
//
//   cycle          0      1      2     ...            C      C+1    C+2
//   slot_i        first  valid  valid
//   a_i           a[0]   a[1]   a[2]   ...
//   b_i                  b[0]   b[1]   ...
//   row 0         a[0]   b[0]   b[1]
//   row 1                                             a[1]   b[0]   b[1]
//   o_o           o[0] in cycle Rows*C + ProductCycles + 2, with slot_o
//
// Contract    slot_i marks the words of a pass, without a gap; each row takes them as mont_row says, so inputs outside
//             a pass are zero. a_i in the cycles 0 .. Rows-1 of a pass are its digits, zero where there are none: the
//             next pass begins Rows cycles later at least. Passes come out as they came in, always after the same time.
//             Reset: what is in the rows comes out without its flags. Words are not reset.
module mont_array
  import mont_pkg::*;
#(
  parameter  int unsigned W             = 18,
  parameter  int unsigned Rows          = 15,
  parameter  int unsigned HopCycles     = 5,
  localparam int unsigned ProductCycles = 4
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  slot_t        slot_i,
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,     // a cycle after slot_i and a_i
  input  logic [W-1:0] t_i,     // ProductCycles + 1 after b_i
  input  logic [W-1:0] n_i,     // ProductCycles + 2 after b_i
  output slot_t        slot_early_o,  // a cycle before slot_o
  output slot_t        slot_o,        // with o_o
  output logic [W-1:0] o_o
);

  logic [W-1:0] a[Rows], b[Rows], n[Rows], t[Rows+1];
  slot_t slot[Rows+1];
  assign a[0] = a_i;
  assign b[0] = b_i;
  assign t[0] = t_i;
  assign n[0] = n_i;
  assign slot[0] = slot_i;

  for (genvar i = 0; i < Rows; i++) begin : gen_row
    mont_row #(.W(W), .HopCycles(HopCycles)) u_row (
      .clk_i, .first_i(slot[i].first), .last_i(slot[i].last),
      .a_i(a[i]), .b_i(b[i]), .t_i(t[i]), .n_i(n[i]), .o_o(t[i+1])
    );
    if (i + 1 < Rows) begin : gen_hop
      delay #(.Width(W), .Cycles(HopCycles - 1)) u_a (.clk_i, .d_i(a[i]), .q_o(a[i+1]));
      delay #(.Width(W), .Cycles(HopCycles)) u_b (.clk_i, .d_i(b[i]), .q_o(b[i+1]));
      delay #(.Width(W), .Cycles(HopCycles)) u_n (.clk_i, .d_i(n[i]), .q_o(n[i+1]));
    end
    slot_delay #(.Cycles(HopCycles)) u_slot (.clk_i, .rst_ni, .slot_i(slot[i]), .slot_o(slot[i+1]));
  end
  slot_delay #(.Cycles(ProductCycles + 1)) u_early (.clk_i, .rst_ni, .slot_i(slot[Rows]), .slot_o(slot_early_o));
  slot_delay #(.Cycles(1)) u_out (.clk_i, .rst_ni, .slot_i(slot_early_o), .slot_o);
  assign o_o = t[Rows];

endmodule
