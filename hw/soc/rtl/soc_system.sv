// SPDX-License-Identifier: Apache-2.0
// The system around the processor: memory, bus, control, and the accelerators of levels row, mul, exp and op.
//
//   instructions ──────────────> soc_memory                  cycle           0    1    2
//   data ──> soc_bus ──┬───────> soc_memory                  data_valid_i    1    1    0    memory
//                      ├───────> soc_control ── console      data_ready_o    0    1    0
//                      ├───────> rsa_port ── rsa_core
//                      ├───────> mont_port ── mont
//                      ├───────> row_port ── row
//                      └───────> power_port
//
// The monitor looks at the bus, not at what the firmware says: `moving` is every cycle from an operand's or a result's
// access being offered to its answer, `core` every cycle from a job's being taken to its answer, or in which products
// or a pass are under way.
//
// Contract    Two Wishbone-like masters: valid is held until ready. Instructions outside the memory are read as 0, at which
//             the processor traps. fault_i (tests alone): bit 0 the accelerators hang, bit 1 their results are corrupted,
//             bit 2 they are silent, bit 3 the core interrupts every 4,096 cycles, whether it has an answer or not. Reset:
//             asynchronous, to be released in step.
module soc_system
  import soc_pkg::*;
#(
  parameter int unsigned Words = 131072,
  parameter int unsigned W     = 18,      // bits of a word of core and multiplier
  parameter int unsigned Rows  = 8        // of both
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        instruction_valid_i,
  input  logic [29:0] instruction_address_i,
  output logic        instruction_ready_o,
  output logic [31:0] instruction_data_o,
  input  logic        data_valid_i,
  input  logic        data_write_i,
  input  logic [3:0]  data_strobe_i,
  input  logic [29:0] data_address_i,
  input  logic [31:0] data_i,
  output logic        data_ready_o,
  output logic [31:0] data_o,
  output logic [1:0]  irq_o,               // 0: a bus fault; 1: the core has an answer
  output logic        console_valid_o,
  output logic [7:0]  console_data_o,
  input  logic        console_valid_i,
  input  logic [7:0]  console_data_i,
  output logic        console_take_o,
  output logic        stop_valid_o,
  output logic [31:0] stop_code_o,
  input  logic [3:0]  fault_i
);

  logic memory_valid, memory_ready, cancel, fault, moving, core_working, mont_working, row_working;
  logic [31:0] memory_instruction, memory_data, fault_address;
  logic instruction_inside_q;
  logic [7:0] memory_wait;
  access_t [4:0] access;
  answer_t [4:0] answer;

  soc_memory #(.Words(Words)) u_memory (
    .clk_i, .rst_ni, .wait_i(memory_wait), .instruction_valid_i, .instruction_address_i, .instruction_ready_o,
    .instruction_data_o(memory_instruction), .data_valid_i(memory_valid), .data_write_i, .data_strobe_i, .data_address_i,
    .data_i, .data_ready_o(memory_ready), .data_o(memory_data)
  );

  // The memory ignores an address's upper bits, and reads a word in each cycle
  always_ff @(posedge clk_i) instruction_inside_q <= {instruction_address_i, 2'b00} < 32'(4 * Words);
  assign instruction_data_o = instruction_inside_q ? memory_instruction : '0;

  soc_bus #(.MemoryBytes(4 * Words)) u_bus (
    .clk_i, .rst_ni, .valid_i(data_valid_i), .write_i(data_write_i), .address_i(data_address_i), .data_i,
    .ready_o(data_ready_o), .data_o, .memory_valid_o(memory_valid), .memory_ready_i(memory_ready),
    .memory_data_i(memory_data), .access_o(access), .answer_i(answer), .cancel_o(cancel), .fault_o(fault),
    .fault_address_o(fault_address)
  );

  assign moving = data_valid_i
                  && ((data_address_i[29:14] == RsaPage
                       && (data_address_i[13:0] == RsaOperand || data_address_i[13:0] == RsaOperandLast
                           || data_address_i[13:0] == RsaResult))
                      || (data_address_i[29:14] == MontPage && data_address_i[13:0] == MontData)
                      || (data_address_i[29:14] == RowPage
                          && (data_address_i[13:0] == RowX || data_address_i[13:0] == RowY
                              || data_address_i[13:0] == RowT || data_address_i[13:0] == RowTake))
                      || data_address_i[29:14] == PowerPage);

  soc_control u_control (
    .clk_i, .rst_ni, .access_i(access[0]), .answer_o(answer[0]), .console_valid_o, .console_data_o, .console_valid_i,
    .console_data_i, .console_take_o, .stop_valid_o, .stop_code_o, .fault_i(fault), .fault_address_i(fault_address),
    .irq_o(irq_o[0]), .memory_wait_o(memory_wait), .monitor_moving_i(moving),
    .monitor_core_i(core_working || mont_working || row_working)
  );

  rsa_port #(.W(W), .Rows(Rows)) u_rsa (
    .clk_i, .rst_ni, .access_i(access[1]), .answer_o(answer[1]), .cancel_i(cancel), .hang_i(fault_i[0]),
    .corrupt_i(fault_i[1]), .silent_i(fault_i[2]), .spurious_i(fault_i[3]), .irq_o(irq_o[1]), .working_o(core_working)
  );

  mont_port #(.W(W), .Rows(Rows)) u_mont (
    .clk_i, .rst_ni, .access_i(access[2]), .answer_o(answer[2]), .cancel_i(cancel), .hang_i(fault_i[0]),
    .corrupt_i(fault_i[1]), .silent_i(fault_i[2]), .working_o(mont_working)
  );

  row_port u_row (
    .clk_i, .rst_ni, .access_i(access[3]), .answer_o(answer[3]), .cancel_i(cancel), .hang_i(fault_i[0]),
    .corrupt_i(fault_i[1]), .silent_i(fault_i[2]), .working_o(row_working)
  );

  power_port u_power (.clk_i, .rst_ni, .access_i(access[4]), .answer_o(answer[4]), .silent_i(fault_i[2]));

endmodule
