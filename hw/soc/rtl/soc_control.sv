// SPDX-License-Identifier: Apache-2.0
// The peripheral `control` of hw/interface/soc.toml: console, cycle counter, bus faults, and the bus monitor, which
// counts beside the processor what the processor counts itself.
//
//   cycle               0    1    2
//   access_i.valid      1    0    0
//   answer_o.ready      0    1    0      always the next cycle
//   console_valid_o     0    1    0      of a write to the console; there is no way to hold it up
//   console_take_o      0    1    0      of a read of it, if console_valid_i
//
// Contract    monitor_moving_i and monitor_core_i are counted in every cycle they are high. fault_i is a pulse; the
//             address comes with it. irq_o is high while a fault has not been taken note of. Reset: all counters 0.
module soc_control
  import soc_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  access_t     access_i,
  output answer_t     answer_o,
  output logic        console_valid_o,
  output logic [7:0]  console_data_o,
  input  logic        console_valid_i,
  input  logic [7:0]  console_data_i,
  output logic        console_take_o,
  output logic        stop_valid_o,
  output logic [31:0] stop_code_o,
  input  logic        fault_i,
  input  logic [31:0] fault_address_i,
  output logic        irq_o,
  output logic [7:0]  memory_wait_o,
  input  logic        monitor_moving_i,
  input  logic        monitor_core_i
);

  logic [31:0] cycles_q, faults_q, fault_address_q, monitor_q, moving_q, core_q;
  logic write;
  /* verilator lint_off UNUSEDSIGNAL */ // their other bits are reserved
  control_console_t sent, console;
  control_memory_wait_t memory_wait;
  /* verilator lint_on UNUSEDSIGNAL */
  assign sent = access_i.data;
  assign console = '{arrived: console_valid_i, character: console_valid_i ? console_data_i : '0, default: '0};
  assign memory_wait = access_i.data;
  assign write = access_i.valid && access_i.write;
  assign irq_o = faults_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycles_q        <= '0;
      faults_q        <= '0;
      fault_address_q <= '0;
      monitor_q       <= '0;
      moving_q        <= '0;
      core_q          <= '0;
      answer_o        <= '0;
      console_valid_o <= 1'b0;
      console_take_o  <= 1'b0;
      stop_valid_o    <= 1'b0;
      memory_wait_o   <= '0;
    end else begin
      cycles_q  <= cycles_q + 32'd1;
      monitor_q <= monitor_q + 32'd1;
      moving_q  <= moving_q + 32'(monitor_moving_i);
      core_q    <= core_q + 32'(monitor_core_i);
      if (write && access_i.word == ControlMonitor) begin
        monitor_q <= '0;
        moving_q  <= '0;
        core_q    <= '0;
      end
      if (fault_i && faults_q == '0) fault_address_q <= fault_address_i;
      if (write && access_i.word == ControlFault) faults_q <= '0;
      else faults_q <= faults_q + 32'(fault_i);
      if (write && access_i.word == ControlMemoryWait) memory_wait_o <= memory_wait.cycles;
      console_valid_o <= write && access_i.word == ControlConsole;
      stop_valid_o    <= write && access_i.word == ControlStop;
      console_take_o  <= access_i.valid && !access_i.write && access_i.word == ControlConsole && console_valid_i;

      answer_o.ready <= access_i.valid;
      unique case (access_i.word)
        ControlConsole:       answer_o.data <= console;
        ControlCycles:        answer_o.data <= cycles_q;
        ControlFault:         answer_o.data <= faults_q;
        ControlFaultAddress:  answer_o.data <= fault_address_q;
        ControlMonitor:       answer_o.data <= monitor_q;
        ControlMonitorMoving: answer_o.data <= moving_q;
        ControlMonitorCore:   answer_o.data <= core_q;
        default:              answer_o.data <= '0;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    console_data_o <= sent.character;
    stop_code_o    <= access_i.data;
  end

endmodule
