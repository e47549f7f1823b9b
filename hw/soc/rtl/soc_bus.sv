// SPDX-License-Identifier: Apache-2.0
// The data bus: gives an access of the processor to memory or to a peripheral, and ends one that nobody answers.
//
//   cycle             0    1    2    3    4
//   valid_i           1    1    1    1    0      held by the processor until ready_o
//   access_o.valid    0    1    0    0    0      of a peripheral whose page it is
//   answer_i.ready    0    0    1    0    0
//   ready_o           0    0    0    1    0
//
// To attach a peripheral: a page in hw/interface/soc.toml, its number in Pages, its answer at that place.
//
// Contract    An access outside memory and pages, or one that is not answered after Patience cycles, is answered with
//             zeros, and fault_o is high for a cycle with its address in fault_address_o; cancel_o too: the peripheral
//             forgets the access. The processor's own error input goes nowhere in this netlist, so the fault becomes an
//             interrupt. Reset: no access is under way.
module soc_bus
  import soc_pkg::*;
#(
  parameter int unsigned                     Peripherals = 5,
  parameter logic [Peripherals-1:0][15:0]    Pages       = {PowerPage, RowPage, MontPage, RsaPage, ControlPage},
  parameter int unsigned                     MemoryBytes = 524288,
  parameter int unsigned                     Patience    = 4096
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         valid_i,
  input  logic                         write_i,
  input  logic [29:0]                  address_i,
  input  logic [31:0]                  data_i,
  output logic                         ready_o,
  output logic [31:0]                  data_o,
  output logic                         memory_valid_o,
  input  logic                         memory_ready_i,
  input  logic [31:0]                  memory_data_i,
  output access_t    [Peripherals-1:0] access_o,
  input  answer_t    [Peripherals-1:0] answer_i,
  output logic                         cancel_o,
  output logic                         fault_o,
  output logic [31:0]                  fault_address_o
);

  localparam int unsigned PatienceWidth = $clog2(Patience + 1);
  logic in_memory, waiting_q, ready_q;
  logic [31:0] data_q;
  logic [PatienceWidth-1:0] waited_q;
  logic any_ready;
  logic [31:0] any_data;
  logic [Peripherals-1:0] here, chosen_q, valid_q;
  logic write_q;
  logic [13:0] word_q;
  logic [31:0] write_data_q;

  assign in_memory = {address_i, 2'b00} < 32'(MemoryBytes);
  assign memory_valid_o = valid_i && in_memory;
  assign ready_o = in_memory ? memory_ready_i : ready_q;
  assign data_o = in_memory ? memory_data_i : data_q;

  for (genvar i = 0; i < Peripherals; i++) begin : gen_page
    assign here[i] = address_i[29:14] == Pages[i];
    assign access_o[i] = '{valid: valid_q[i], write: write_q, word: word_q, data: write_data_q};
  end
  always_comb begin
    any_ready = 1'b0;
    any_data  = '0;
    for (int unsigned i = 0; i < Peripherals; i++) begin
      if (chosen_q[i] && answer_i[i].ready) begin
        any_ready = 1'b1;
        any_data  = answer_i[i].data;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    write_q <= write_i;
    word_q  <= address_i[13:0];
    write_data_q <= data_i;
    data_q <= any_data;
    fault_address_o <= {address_i, 2'b00};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= 1'b0;
      ready_q   <= 1'b0;
      chosen_q  <= '0;
      waited_q  <= '0;
      fault_o   <= 1'b0;
      cancel_o  <= 1'b0;
      valid_q <= '0;
    end else begin
      ready_q  <= 1'b0;
      fault_o  <= 1'b0;
      cancel_o <= 1'b0;
      valid_q <= '0;
      if (!waiting_q) begin
        waited_q <= '0;
        if (valid_i && !in_memory && !ready_q) begin
          waiting_q <= 1'b1;
          chosen_q  <= here;
          valid_q   <= here;
        end
      end else begin
        waited_q <= waited_q + PatienceWidth'(1);
        if (any_ready) begin
          waiting_q <= 1'b0;
          ready_q   <= 1'b1;
        end else if (chosen_q == '0 || waited_q == PatienceWidth'(Patience)) begin
          waiting_q <= 1'b0;
          ready_q   <= 1'b1;
          fault_o   <= 1'b1;
          cancel_o  <= 1'b1;
        end
      end
    end
  end

endmodule
