// SPDX-License-Identifier: Apache-2.0
// r rows of a product at once: t += x * (y[r-1] .. y[0]), words in and out as streams, one every Fold cycles.
//
//            t ->  row r-1  ->  row r-2  ->  ...  ->  row 0  -> t'         the highest row first: so x is delayed by
//            x ->     |           |                     |                  Hop - Fold a row, not by Hop + Fold
//   Fold 2:  the first r/2 rows and the last r/2 rows are the same cells: the streams go round twice, in turn
//
//   cycle       0     1     2     3     4     5     6            Rows = 2, Stages = 1: Hop = Stages + 1 = 2; Fold = 1
//   first_i     1
//   t_i               t[0]  t[1]  t[2]
//   x_i                     x[0]  x[1]  x[2]                     x[0] with t[r-1]
//   row 1 ->                      u[0]  u[1]  u[2]               u = t + x * y[1], with x[0] beside u[0]
//   t_o                                       t'[0] t'[1]        Latency = r * Hop + Fold - 1 after t_i
//   loaded_o                1
//
//   cycle       0     1     2     3     4     5     6     7     8     9          the same with Fold = 2: one cell
//   lap_i       0     1     0     1     0     1     0     1     0     1
//   first_i     1
//   t_i                     t[0]        t[1]        t[2]
//   x_i                                 x[0]        x[1]
//   second lap                                u[0]        u[1]        u[2]
//   t_o                                                   t'[0]       t'[1]
//   loaded_o                1
//
// Why: a word of t is read and written once for r products, so a port moves r times less, and with Fold = 2 one t port
// that reads and writes in turn (2 cycles a word) keeps every multiplier busy.
//
// Parameters  W word bits; Rows r; Fold rows a cell; Stages of a multiplier, odd when Fold is 2: the laps stay in turn.
// Contract    zeros between passes; first_i Fold cycles before t[0]; y: r words shifted in by y_valid_i, y[0] first,
//             then held from first_i until loaded_o; lap_i = 0 in the cycles that take t_i.
module row_chain #(
  parameter int unsigned W          = 16,
  parameter int unsigned Rows       = 4,
  parameter int unsigned Fold       = 1,
  parameter int unsigned Stages     = 1,
  parameter int unsigned Multiplier = multiply_pkg::Booth
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         y_valid_i,
  input  logic [W-1:0] y_i,
  input  logic         first_i,
  input  logic         lap_i,
  input  logic [W-1:0] x_i,
  input  logic [W-1:0] t_i,
  output logic [W-1:0] t_o,
  output logic         loaded_o   // every cell has taken its y
);

  localparam int unsigned Cells = Rows / Fold;

  if (Rows % Fold != 0 || Fold < 1 || Fold > 2) begin : gen_bad_fold
    $error("row_chain: Fold must be 1 or 2 and divide Rows");
  end
  if (Fold == 2 && Stages % 2 == 0) begin : gen_bad_stages
    $error("row_chain: with Fold 2, Stages must be odd");
  end

  logic [Rows-1:0][W-1:0] y_q;  // y_q[v] is row Rows-1-v
  always_ff @(posedge clk_i) begin
    if (y_valid_i) begin
      y_q[0] <= y_i;
      for (int unsigned v = 1; v < Rows; v++) y_q[v] <= y_q[v-1];
    end
  end

  logic [W-1:0]    x[Cells+1];
  logic [W-1:0]    t[Cells+1];
  logic [Fold-1:0] load[Cells+1];

  if (Fold == 1) begin : gen_line
    assign x[0] = x_i;
    assign t[0] = t_i;
    assign load[0] = first_i;
    logic [W-1:0] unused_x;
    assign unused_x = x[Cells];
  end else begin : gen_ring
    logic [W-1:0] x_q, t_q;
    logic         load_q;
    always_ff @(posedge clk_i) begin
      x_q    <= x[Cells];
      t_q    <= t[Cells];
      load_q <= load[Cells][0];
    end
    assign x[0] = lap_i ? x_q : x_i;
    assign t[0] = lap_i ? t_q : t_i;
    assign load[0] = {load_q, first_i};
  end

  for (genvar c = 0; c < Cells; c++) begin : gen_cell
    logic [Fold-1:0][W-1:0] y;
    for (genvar l = 0; l < Fold; l++) begin : gen_y
      assign y[l] = y_q[c+l*Cells];
    end
    row_cell #(.W(W), .Fold(Fold), .Stages(Stages), .Multiplier(Multiplier)) u_cell (
      .clk_i, .rst_ni, .x_i(x[c]), .t_i(t[c]), .load_i(load[c]), .lap_i, .y_i(y),
      .x_o(x[c+1]), .t_o(t[c+1]), .load_o(load[c+1])
    );
  end

  assign t_o = t[Cells];
  // The last stage of the last cell takes its y Stages - 1 cycles after the cell's first one.
  delay #(.Width(1), .Cycles(Stages)) u_loaded (.clk_i, .d_i(load[Cells-1][Fold-1]), .q_o(loaded_o));

endmodule
