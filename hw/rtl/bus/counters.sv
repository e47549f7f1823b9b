// The counters of the register map: 64 bits each, cleared together.
//
//   cycle        0   1   2   3
//   job_i            1               beats_i 0  2  1  0
//   jobs_o       0   0   1   1       beats   0  0  2  3      an event counts from the next cycle on
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

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycles_o           <= '0;
      jobs_o             <= '0;
      failed_o           <= '0;
      busy_core_cycles_o <= '0;
      bus_cycles_o       <= '0;
      bus_beats_o        <= '0;
    end else if (clear_i) begin
      cycles_o           <= '0;
      jobs_o             <= '0;
      failed_o           <= '0;
      busy_core_cycles_o <= '0;
      bus_cycles_o       <= '0;
      bus_beats_o        <= '0;
    end else begin
      cycles_o           <= cycles_o + 64'd1;
      jobs_o             <= jobs_o + 64'(jobs_i);
      failed_o           <= failed_o + 64'(failed_i);
      busy_core_cycles_o <= busy_core_cycles_o + 64'(busy_cores_i);
      bus_cycles_o       <= bus_cycles_o + 64'(bus_busy_i);
      bus_beats_o        <= bus_beats_o + 64'(bus_beats_i);
    end
  end

endmodule
