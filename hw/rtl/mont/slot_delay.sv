// Delay line of the flags that go with the words. Unlike `delay` it is reset: nothing of a job that a reset cut off may
// be written to memory afterwards.
module slot_delay
  import mont_pkg::*;
#(
  parameter int unsigned Cycles = 5  // at least 1
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  input  slot_t slot_i,
  output slot_t slot_o
);

  slot_t line_q[Cycles];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Cycles; i++) line_q[i] <= '0;
    end else begin
      line_q[0] <= slot_i;
      for (int unsigned i = 1; i < Cycles; i++) line_q[i] <= line_q[i-1];
    end
  end
  assign slot_o = line_q[Cycles-1];

endmodule
