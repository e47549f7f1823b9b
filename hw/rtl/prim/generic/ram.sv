// SPDX-License-Identifier: Apache-2.0
// Memory with one write port and one read port, one clock. Behavioural twin: any simulator, any family.
//
//   cycle            0    1    2
//   read_address_i   A
//   read_data_o                M[A]      what was written up to cycle -1
//
// Contract    No word is read in the cycle in which it is written (families differ in what they answer). The reading
//             port has no enable. No reset: words are unknown until written. Depth: at most 16384 in the other twins.
module ram #(
  parameter  int unsigned Width        = 18,
  parameter  int unsigned Depth        = 1024,
  localparam int unsigned AddressWidth = $clog2(Depth)
) (
  input  logic                    clk_i,
  input  logic                    write_enable_i,
  input  logic [AddressWidth-1:0] write_address_i,
  input  logic [Width-1:0]        write_data_i,
  input  logic [AddressWidth-1:0] read_address_i,
  output logic [Width-1:0]        read_data_o
);

  logic [Width-1:0] memory[Depth];
  logic [Width-1:0] word_q;

  always_ff @(posedge clk_i) begin
    if (write_enable_i) memory[write_address_i] <= write_data_i;
    word_q <= memory[read_address_i];
    read_data_o <= word_q;
  end

endmodule
