// SPDX-License-Identifier: Apache-2.0
// `operand_cache` with the memory around it, and counters: the test is the processor.
//
// The memory: from word 0 a, then n; from its middle t. `reached_o` pulses when the unit writes word `watch_i` of t.
module operand_cache_bench #(
  parameter  int unsigned W          = 16,
  parameter  int unsigned Ports      = 2,
  parameter  int unsigned Cached     = 4,
  parameter  int unsigned Lanes      = 2,
  parameter  int unsigned Stages     = 3,
  parameter  int unsigned Multiplier = multiply_pkg::Booth,
  parameter  int unsigned Bits       = 1024,
  localparam int unsigned Words      = (Bits + W - 1) / W,
  localparam int unsigned TPorts     = Ports == 2 ? 1 : 2,
  localparam int unsigned XAw        = $clog2(Words),
  localparam int unsigned TAw        = $clog2(2 * Words + 2 * Cached + 5),
  localparam int unsigned Half       = XAw + 1 > TAw ? XAw + 1 : TAw  // of the memory's addresses
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  output logic           y_ready_o,
  input  logic           y_valid_i,
  input  logic [W-1:0]   y_i,
  output logic           start_ready_o,
  input  logic           start_valid_i,
  input  logic           start_n_i,
  input  logic [TAw-1:0] start_t_base_i,
  output logic           busy_o,
  output logic           done_o,
  input  logic [TAw-1:0] watch_i,
  output logic           reached_o,
  output logic [31:0]    cycles_o,      // busy
  output logic [31:0]    words_o        // moved over all ports
);

  logic                       x_read;
  logic [XAw:0]               x_address;
  logic [W-1:0]               x_data;
  logic [TPorts-1:0]          t_read, t_write;
  logic [TPorts-1:0][TAw-1:0] t_address;
  logic [TPorts-1:0][W-1:0]   t_write_data, t_read_data;
  logic [TPorts-1:0][Half:0]  address;

  operand_cache #(
    .W(W), .Ports(Ports), .Cached(Cached), .Lanes(Lanes), .Stages(Stages), .Multiplier(Multiplier), .Bits(Bits)
  ) u_cache (
    .clk_i, .rst_ni, .y_ready_o, .y_valid_i, .y_i, .start_ready_o, .start_valid_i, .start_n_i, .start_t_base_i, .busy_o,
    .done_o, .x_read_o(x_read), .x_address_o(x_address), .x_data_i(x_data), .t_read_o(t_read), .t_write_o(t_write),
    .t_address_o(t_address), .t_data_o(t_write_data), .t_data_i(t_read_data)
  );

  for (genvar p = 0; p < TPorts; p++) begin : gen_address
    assign address[p] = {1'b1, Half'(t_address[p])};
  end

  port_memory #(.W(W), .Ports(Ports), .Lanes(1 + TPorts), .Depth(2 << Half)) u_memory (
    .clk_i, .rst_ni, .read_i({t_read, x_read}), .write_i({t_write, 1'b0}),
    .address_i({address, (Half+1)'(x_address)}), .data_i({t_write_data, W'(0)}), .data_o({t_read_data, x_data}),
    .words_o
  );

  always_ff @(posedge clk_i) begin
    reached_o <= 1'b0;
    for (int unsigned p = 0; p < TPorts; p++) begin
      if (t_write[p] && t_address[p] == watch_i) reached_o <= 1'b1;
    end
    cycles_o <= rst_ni ? cycles_o + 32'(busy_o) : '0;
  end

endmodule
