// SPDX-License-Identifier: Apache-2.0
// `product_scan` with the memory around it, and counters: the test is the processor.
// The memory: from word 0 a, then n; from its middle b, then m.
module product_scan_bench #(
  parameter  int unsigned W          = 16,
  parameter  int unsigned Ports      = 2,
  parameter  int unsigned Unroll     = 1,
  parameter  int unsigned Stages     = 1,
  parameter  int unsigned Multiplier = multiply_pkg::Booth,
  parameter  int unsigned Bits       = 1024,
  localparam int unsigned Words      = (Bits + W - 1) / W,
  localparam int unsigned Lanes      = Ports == 0 ? Unroll : Ports / 2,
  localparam int unsigned Aw         = $clog2(Words)
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  output logic          start_ready_o,
  input  logic          start_valid_i,
  input  logic          start_n_i,
  input  logic          start_shift_i,
  input  logic [Aw-1:0] start_x_base_i,
  input  logic [Aw-1:0] start_y_base_i,
  input  logic [Aw:0]   start_count_i,
  output logic          busy_o,
  output logic [W-1:0]  acc_o,
  output logic [31:0]   cycles_o,
  output logic [31:0]   words_o
);

  logic [Lanes-1:0]        read;
  logic [Lanes-1:0][Aw:0]  x_address, y_address;
  logic [2*Lanes-1:0][Aw+1:0] address;
  logic [Lanes-1:0][W-1:0] x_data, y_data;

  product_scan #(.W(W), .Ports(Ports), .Unroll(Unroll), .Stages(Stages), .Multiplier(Multiplier), .Bits(Bits)) u_scan (
    .clk_i, .rst_ni, .start_ready_o, .start_valid_i, .start_n_i, .start_shift_i, .start_x_base_i, .start_y_base_i,
    .start_count_i, .busy_o, .acc_o, .read_o(read), .x_address_o(x_address), .y_address_o(y_address),
    .x_data_i(x_data), .y_data_i(y_data)
  );

  for (genvar l = 0; l < Lanes; l++) begin : gen_address
    assign address[l]       = {1'b0, x_address[l]};
    assign address[Lanes+l] = {1'b1, y_address[l]};
  end

  port_memory #(.W(W), .Ports(Ports), .Lanes(2 * Lanes), .Depth(4 << Aw)) u_memory (
    .clk_i, .rst_ni, .read_i({read, read}), .write_i('0), .address_i(address), .data_i('0), .data_o({y_data, x_data}),
    .words_o
  );

  always_ff @(posedge clk_i) cycles_o <= rst_ni ? cycles_o + 32'(busy_o) : '0;

endmodule
