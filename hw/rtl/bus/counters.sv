// SPDX-License-Identifier: Apache-2.0
// The counters of the register map: 64 bits each, cleared together.
//
//   cycle        0   1   2   3   4   5
//   beats_i      0   2   1   0   0   0
//   beats        0   0   0   0   2   3      an event counts from the third cycle behind it on
//
// The halves are added in turn: the carry of the lower half waits in a flip-flop while the sum goes to the output.
//
// Contract    In every cycle all 64 bits of a counter belong together. clear_i (a pulse): all are 0 from the next cycle
//             on, and events from its own cycle on are counted. cycles_o counts every cycle out of reset. Reset: all 0.
// Parameters  BusyWidth: bits of busy_cores_i, 2 to 32.
module counters #(
  parameter int unsigned BusyWidth = 6
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic [1:0]           jobs_i,        // completed in this cycle
  input  logic [1:0]           failed_i,      // of them, with a status other than StatusOk
  input  logic [BusyWidth-1:0] busy_cores_i,
  input  logic                 bus_busy_i,
  input  logic [1:0]           bus_beats_i,
  output logic [63:0]          cycles_o,
  output logic [63:0]          jobs_o,
  output logic [63:0]          failed_o,
  output logic [63:0]          busy_core_cycles_o,
  output logic [63:0]          bus_cycles_o,
  output logic [63:0]          bus_beats_o
);

  localparam int unsigned Counters = 6;

  logic [Counters-1:0][BusyWidth-1:0] events_q;
  logic [Counters-1:0][32:0]          sum_q;    // {carry into the upper half, lower half}
  logic [Counters-1:0][31:0]          low_q, high_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      events_q <= '0;
      sum_q    <= '0;
      low_q    <= '0;
      high_q   <= '0;
    end else begin
      events_q <= {BusyWidth'(1), BusyWidth'(jobs_i), BusyWidth'(failed_i), busy_cores_i, BusyWidth'(bus_busy_i),
                   BusyWidth'(bus_beats_i)};
      for (int unsigned i = 0; i < Counters; i++) begin
        sum_q[i]  <= clear_i ? '0 : {1'b0, sum_q[i][31:0]} + 33'(events_q[i]);
        low_q[i]  <= clear_i ? '0 : sum_q[i][31:0];
        high_q[i] <= clear_i ? '0 : high_q[i] + 32'(sum_q[i][32]);
      end
    end
  end

  assign cycles_o           = {high_q[5], low_q[5]};
  assign jobs_o             = {high_q[4], low_q[4]};
  assign failed_o           = {high_q[3], low_q[3]};
  assign busy_core_cycles_o = {high_q[2], low_q[2]};
  assign bus_cycles_o       = {high_q[1], low_q[1]};
  assign bus_beats_o        = {high_q[0], low_q[0]};

endmodule
