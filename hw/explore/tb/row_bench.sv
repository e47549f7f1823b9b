// SPDX-License-Identifier: Apache-2.0
// `row` with the memories around it, and counters of what crosses its ports: the test is the processor.
//
// The memory is written and read by the test directly: from word 0 a, then n; from its middle t.
// `reached_o` pulses when the unit writes word `watch_i` of t.
module row_bench
  import row_pkg::*;
#(
  parameter  int unsigned Algorithm  = 3,
  parameter  int unsigned W          = 16,
  parameter  int unsigned Ports      = 3,
  parameter  bit          Pipelined  = 1'b1,
  parameter  int unsigned Unroll     = 1,
  parameter  int unsigned Rows       = 4,
  parameter  int unsigned Stages     = 1,
  parameter  int unsigned Multiplier = multiply_pkg::Booth,
  parameter  int unsigned Bits       = 1024,
  localparam algorithm_e  Design     = algorithm_e'(Algorithm[2:0]),
  localparam int unsigned Words      = (Bits + W - 1) / W,
  localparam int unsigned Group      = group(Design, Unroll),
  localparam int unsigned XPorts     = x_ports(Design, Ports, Group),
  localparam int unsigned TPorts     = t_ports(Design, Ports, Group),
  localparam int unsigned RowsUsed   = Design == RowChain ? Rows : Design == TwoRow ? 2 : 1,
  localparam int unsigned TWords     = 2 * Words + RowsUsed + 5 + Group,
  localparam int unsigned XAw        = $clog2(Words),
  localparam int unsigned TAw        = $clog2(TWords),
  localparam int unsigned NPorts     = Design == Fios ? XPorts : 0,
  localparam int unsigned Lanes      = XPorts + NPorts + TPorts,
  localparam int unsigned Half       = max(XAw + 1, TAw)  // of the memory's addresses
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

  logic [XPorts-1:0]          x_read;
  logic [XPorts-1:0][XAw:0]   x_address;
  logic [XPorts-1:0][W-1:0]   x_data, n_data;
  logic [TPorts-1:0]          t_read, t_write;
  logic [TPorts-1:0][TAw-1:0] t_address;
  logic [TPorts-1:0][W-1:0]   t_write_data, t_read_data;
  logic [Lanes-1:0]           read, write;
  logic [Lanes-1:0][Half:0]   address;
  logic [Lanes-1:0][W-1:0]    write_data, read_data;

  row #(.Algorithm(Algorithm), .W(W), .Ports(Ports), .Pipelined(Pipelined), .Unroll(Unroll), .Rows(Rows),
        .Stages(Stages), .Multiplier(Multiplier), .Bits(Bits)) u_row (
    .clk_i, .rst_ni, .y_ready_o, .y_valid_i, .y_i, .start_ready_o, .start_valid_i, .start_n_i, .start_t_base_i, .busy_o,
    .done_o, .x_read_o(x_read), .x_address_o(x_address), .x_data_i(x_data), .n_data_i(n_data), .t_read_o(t_read),
    .t_write_o(t_write), .t_address_o(t_address), .t_data_o(t_write_data), .t_data_i(t_read_data)
  );

  always_comb begin
    write      = '0;
    write_data = '0;
    n_data     = '0;
    for (int unsigned p = 0; p < XPorts; p++) begin
      read[p]    = x_read[p];
      address[p] = (Half+1)'(x_address[p]);
      x_data[p]  = read_data[p];
    end
    for (int unsigned p = XPorts; p < XPorts + NPorts; p++) begin
      read[p]          = x_read[p-XPorts];
      address[p]       = (Half+1)'({1'b1, x_address[p-XPorts][XAw-1:0]});
      n_data[p-XPorts] = read_data[p];
    end
    for (int unsigned p = 0; p < TPorts; p++) begin
      read[XPorts+NPorts+p]       = t_read[p];
      write[XPorts+NPorts+p]      = t_write[p];
      address[XPorts+NPorts+p]    = {1'b1, Half'(t_address[p])};
      write_data[XPorts+NPorts+p] = t_write_data[p];
      t_read_data[p]              = read_data[XPorts+NPorts+p];
    end
  end

  port_memory #(.W(W), .Ports(Ports), .Lanes(Lanes), .Depth(2 << Half)) u_memory (
    .clk_i, .rst_ni, .read_i(read), .write_i(write), .address_i(address), .data_i(write_data), .data_o(read_data),
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
