// SPDX-License-Identifier: Apache-2.0
// The table of contexts of jobs under way: what a job's completion will need, from its fetch to its answer. A job carries
// the number of its place as tag, so that answers may come in any order.
//
//   cycle             0    1    2    3        ..   9    10   11
//   free_index_o      P    P    Q    Q             Q    Q    P     the lowest that is free, if free_valid_o
//   take_i                 1                                       place P, take_index_i, is the job's
//   answered_i                                     1               of place P; its context is there at once
//
// Contract    A place is taken while it is free, and answered while it is taken. A place that was answered is free two
//             cycles later: the way from the cores to the choice of a place has a register.
module context_table
  import bus_pkg::*;
#(
  parameter int unsigned  Places = 16,  // a power of two
  localparam int unsigned Width  = $clog2(Places)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             free_valid_o,
  output logic [Width-1:0] free_index_o,
  input  logic             take_i,
  input  logic [Width-1:0] take_index_i,
  input  context_t         take_context_i,
  input  logic             answered_i,
  input  logic [Width-1:0] answer_index_i,
  output context_t         answer_context_o  // of the place answer_index_i
);

  context_t          table_q[Places];
  logic [Places-1:0] taken_q;
  logic [Width-1:0]  answered_index_q;
  logic              answered_q;     // a cycle ago

  assign free_valid_o     = !(&taken_q);
  assign answer_context_o = table_q[answer_index_i];

  always_comb begin
    free_index_o = '0;
    for (int i = Places - 1; i >= 0; i--) begin
      if (!taken_q[i]) free_index_o = Width'(i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q    <= '0;
      answered_q <= 1'b0;
    end else begin
      answered_q <= answered_i;
      if (take_i) taken_q[take_index_i] <= 1'b1;
      if (answered_q) taken_q[answered_index_q] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    answered_index_q <= answer_index_i;
    if (take_i) table_q[take_index_i] <= take_context_i;
  end

endmodule
