// SPDX-License-Identifier: Apache-2.0
// `row` with the memories around it, and counters of what crosses its ports: the test is the processor.
//
// The memories are written and read by the test directly. `reached_o` pulses when the unit writes word `watch_i` of t.
module row_bench
  import row_pkg::*;
#(
  parameter int unsigned Algorithm = 3,
  parameter int unsigned W         = 16,
  parameter int unsigned Ports     = 3,
  parameter bit          Pipelined = 1'b1,
  parameter int unsigned Unroll    = 1,
  parameter int unsigned Rows      = 4,
  parameter int unsigned Stages    = 1,
  parameter bit          Booth     = 1'b1,
  parameter int unsigned Bits      = 1024,
  localparam algorithm_e  Design   = algorithm_e'(Algorithm[2:0]),
  localparam int unsigned Words    = Bits / W,
  localparam int unsigned Group    = group(Design, Unroll),
  localparam int unsigned XPorts   = x_ports(Design, Ports, Group),
  localparam int unsigned TPorts   = t_ports(Design, Ports, Group),
  localparam int unsigned RowsUsed = Design == RowChain ? Rows : Design == TwoRow ? 2 : 1,
  localparam int unsigned TWords   = 2 * Words + RowsUsed + 5 + Group,
  localparam int unsigned XAw      = $clog2(Words),
  localparam int unsigned TAw      = $clog2(TWords)
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

  logic [W-1:0] x_memory[2*Words];      // operand a, then n
  logic [W-1:0] t_memory[2**TAw];

  logic [XPorts-1:0]          x_read;
  logic [XPorts-1:0][XAw:0]   x_address;
  logic [XPorts-1:0][W-1:0]   x_data, n_data;
  logic [TPorts-1:0]          t_read, t_write;
  logic [TPorts-1:0][TAw-1:0] t_address;
  logic [TPorts-1:0][W-1:0]   t_write_data, t_read_data;

  row #(.Algorithm(Algorithm), .W(W), .Ports(Ports), .Pipelined(Pipelined), .Unroll(Unroll), .Rows(Rows),
        .Stages(Stages), .Booth(Booth), .Bits(Bits)) u_row (
    .clk_i, .rst_ni, .y_ready_o, .y_valid_i, .y_i, .start_ready_o, .start_valid_i, .start_n_i, .start_t_base_i, .busy_o,
    .done_o, .x_read_o(x_read), .x_address_o(x_address), .x_data_i(x_data), .n_data_i(n_data), .t_read_o(t_read),
    .t_write_o(t_write), .t_address_o(t_address), .t_data_o(t_write_data), .t_data_i(t_read_data)
  );

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < XPorts; p++) begin
      if (x_read[p]) begin
        x_data[p] <= x_memory[x_address[p]];
        n_data[p] <= x_memory[{1'b1, x_address[p][XAw-1:0]}];
      end
    end
    reached_o <= 1'b0;
    for (int unsigned p = 0; p < TPorts; p++) begin
      if (t_write[p]) t_memory[t_address[p]] <= t_write_data[p];
      if (t_read[p]) t_read_data[p] <= t_memory[t_address[p]];
      if (t_write[p] && t_address[p] == watch_i) reached_o <= 1'b1;
      if (rst_ni) one_access_a_port : assert (!(t_write[p] && t_read[p]));
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cycles_o <= '0;
      words_o  <= '0;
    end else begin
      cycles_o <= cycles_o + 32'(busy_o);
      words_o  <= words_o + 32'($countones(x_read)) * (Design == Fios ? 2 : 1) + 32'($countones(t_read)) +
                  32'($countones(t_write));
    end
  end

endmodule
