// SPDX-License-Identifier: Apache-2.0
// The operand memory of the row accelerators: holds them to their ports, and counts what crosses.
//
// A lane is a port of the unit, with one access a cycle; all lanes together move `Ports` words a cycle at most, however
// many there are. Words read are answered a cycle later; where nothing was read, the answer is unknown.
//
// The words are written and read by the test directly.
module port_memory #(
  parameter  int unsigned W     = 16,
  parameter  int unsigned Ports = 2,   // 0: as many as there are lanes
  parameter  int unsigned Lanes = 2,
  parameter  int unsigned Depth = 256,
  localparam int unsigned Aw    = $clog2(Depth)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [Lanes-1:0]         read_i,
  input  logic [Lanes-1:0]         write_i,
  input  logic [Lanes-1:0][Aw-1:0] address_i,
  input  logic [Lanes-1:0][W-1:0]  data_i,
  output logic [Lanes-1:0][W-1:0]  data_o,
  output logic [31:0]              words_o   // moved over all ports
);

  logic [W-1:0] words[Depth];
  logic [31:0]  moved;

  assign moved = 32'($countones(read_i)) + 32'($countones(write_i));

  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      data_o[l] <= read_i[l] ? words[address_i[l]] : 'x;
      if (write_i[l]) words[address_i[l]] <= data_i[l];
    end
    words_o <= rst_ni ? words_o + moved : '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      ports_are_kept : assert (Ports == 0 || moved <= Ports)
        else $fatal(1, "port_memory: %0d words in a cycle over %0d ports", moved, Ports);
      one_access_a_lane : assert ((read_i & write_i) == '0)
        else $fatal(1, "port_memory: a lane reads and writes in one cycle");
      for (int unsigned l = 0; l < Lanes; l++) begin
        in_memory : assert (!(read_i[l] || write_i[l]) || 32'(address_i[l]) < Depth)
          else $fatal(1, "port_memory: lane %0d is outside at %0d", l, address_i[l]);
      end
    end
  end

endmodule
