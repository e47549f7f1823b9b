// SPDX-License-Identifier: Apache-2.0
// `fifo_rows` with the memory around it, and counters: the test is the processor.
module fifo_rows_bench #(
  parameter  int unsigned W          = 16,
  parameter  int unsigned Ports      = 2,
  parameter  int unsigned Rows       = 2,
  parameter  int unsigned Stages     = 3,
  parameter  int unsigned Multiplier = multiply_pkg::Booth,
  parameter  int unsigned Bits       = 1024,
  localparam int unsigned Words      = (Bits + W - 1) / W,
  localparam int unsigned Aw         = $clog2(Words + 1)
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         y_ready_o,
  input  logic         y_valid_i,
  input  logic [W-1:0] y_i,
  output logic         start_ready_o,
  input  logic         start_valid_i,
  output logic         busy_o,
  output logic         done_o,
  output logic [31:0]  cycles_o,      // busy
  output logic [31:0]  words_o        // moved over all ports
);

  logic          a_read, a_write, n_read;
  logic [Aw:0]   a_address;
  logic [Aw-1:0] n_address;
  logic [W-1:0]  a_data, a_write_data, n_data;

  fifo_rows #(.W(W), .Ports(Ports), .Rows(Rows), .Stages(Stages), .Multiplier(Multiplier), .Bits(Bits)) u_rows (
    .clk_i, .rst_ni, .y_ready_o, .y_valid_i, .y_i, .start_ready_o, .start_valid_i, .busy_o, .done_o,
    .a_read_o(a_read), .a_write_o(a_write), .a_address_o(a_address), .a_data_i(a_data), .a_data_o(a_write_data),
    .n_read_o(n_read), .n_address_o(n_address), .n_data_i(n_data)
  );

  // a, the result, n with n': each from a multiple of 2^Aw on
  port_memory #(.W(W), .Ports(Ports), .Lanes(2), .Depth(4 << Aw)) u_memory (
    .clk_i, .rst_ni, .read_i({n_read, a_read}), .write_i({1'b0, a_write}),
    .address_i({{2'd2, n_address}, {1'b0, a_address}}), .data_i({W'(0), a_write_data}), .data_o({n_data, a_data}),
    .words_o
  );

  always_ff @(posedge clk_i) cycles_o <= rst_ni ? cycles_o + 32'(busy_o) : '0;

endmodule
