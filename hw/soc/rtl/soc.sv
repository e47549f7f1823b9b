// SPDX-License-Identifier: Apache-2.0
// The system on chip: VexRiscv (the netlist of the Python package pythondata-cpu-vexriscv, fetched) and soc_system.
//
//   cycle            0    1   ..   9   ...
//   rst_ni           0    0        1           the processor begins at address 0
//   console_valid_o                     1      bytes of the firmware's console, one a cycle at most
//
// Contract    As soc_system. Not linted, for the processor's netlist is not here; soc_system is.
module soc #(
  parameter int unsigned Words = 131072,
  parameter int unsigned W     = 18,
  parameter int unsigned Rows  = 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        console_valid_o,
  output logic [7:0]  console_data_o,
  input  logic        console_valid_i,
  input  logic [7:0]  console_data_i,
  output logic        console_take_o,
  output logic        stop_valid_o,
  output logic [31:0] stop_code_o,
  input  logic [3:0]  fault_i
);

  logic instruction_cycle, instruction_strobe, instruction_ready, data_cycle, data_strobe, data_ready, data_write;
  logic [1:0] irq;
  logic [29:0] instruction_address, data_address;
  logic [31:0] instruction_data, data_in, data_out;
  logic [3:0] data_select;

  VexRiscv u_cpu (
    .clk(clk_i), .reset(!rst_ni), .externalResetVector('0), .timerInterrupt(1'b0), .softwareInterrupt(1'b0),
    .externalInterruptArray({30'd0, irq}),
    .iBusWishbone_CYC(instruction_cycle), .iBusWishbone_STB(instruction_strobe), .iBusWishbone_ACK(instruction_ready),
    .iBusWishbone_WE(), .iBusWishbone_ADR(instruction_address), .iBusWishbone_DAT_MISO(instruction_data),
    .iBusWishbone_DAT_MOSI(), .iBusWishbone_SEL(), .iBusWishbone_ERR(1'b0), .iBusWishbone_CTI(), .iBusWishbone_BTE(),
    .dBusWishbone_CYC(data_cycle), .dBusWishbone_STB(data_strobe), .dBusWishbone_ACK(data_ready),
    .dBusWishbone_WE(data_write), .dBusWishbone_ADR(data_address), .dBusWishbone_DAT_MISO(data_in),
    .dBusWishbone_DAT_MOSI(data_out), .dBusWishbone_SEL(data_select), .dBusWishbone_ERR(1'b0), .dBusWishbone_CTI(),
    .dBusWishbone_BTE()
  );

  soc_system #(.Words(Words), .W(W), .Rows(Rows)) u_system (
    .clk_i, .rst_ni, .instruction_valid_i(instruction_cycle && instruction_strobe),
    .instruction_address_i(instruction_address), .instruction_ready_o(instruction_ready),
    .instruction_data_o(instruction_data), .data_valid_i(data_cycle && data_strobe), .data_write_i(data_write),
    .data_strobe_i(data_select), .data_address_i(data_address), .data_i(data_out), .data_ready_o(data_ready),
    .data_o(data_in), .irq_o(irq), .console_valid_o, .console_data_o, .console_valid_i, .console_data_i,
    .console_take_o, .stop_valid_o, .stop_code_o, .fault_i
  );

endmodule
