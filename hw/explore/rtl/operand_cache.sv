// SPDX-License-Identifier: Apache-2.0
// Operand caching: a pass of t += x * y for e words y that the unit keeps, column by column; t[k] and the words of x
// that a column needs come and go once for e products, 3/e words a word product.
//
//   column k:  acc = acc / 2^W + t[k] + y[0] * x[k] + ... + y[e-1] * x[k-e+1];   t[k] = acc mod 2^W
//
//   cycle         0    1    2    3    4    5    6    7    8    9      Cached 2, Lanes 1: Fold 2; Stages = 1
//   read x, t     0         1         2
//   x             .    .    x0   0    x1   x0   x2   x1               at the multiplier, newest first
//   y                       y0   y1   y0   y1   y0   y1
//   product                      x0y0 0    x1y0 x0y1
//   sum                               +t0  0    +t1  ...              the lanes' products, a register a lane
//   acc                                    .    t[0]
//   write t                                     0         1           WriteAt = 6, and one more if it met the read
//
// A column takes Fold = e / Lanes cycles: lane l multiplies by words l * Fold .. of y. The words of x go through the
// lanes: each comes back after Fold + 1 cycles, beside the next word of y, then goes on to the next lane.
//
// Cost        roofline (2 s^2 + s) * max(1 / Lanes, 3 / (e * Ports)); predicted for a multiplication, P = ceil(s / e):
//             2 P passes of Fold * (s + e + 1) cycles, and WriteAt: quotient digits by the processor.
// Contract    A pass starts when start_valid_i && start_ready_o; start_n_i and start_t_base_i are looked at then.
//             t + x * y < 2^(W * (Words + e + 1)). y: e words, y[0] first, one a y_valid_i, while y_ready_o, before the
//             start; the next ones may come when y_ready_o is high again. busy_o from the cycle after a start until the
//             done_o of the last pass.
// Ports       2: an x port, and a t port that reads and writes in turn, so Fold is even; 3, 4 and 0: a t port for each.
// Memories    x: operand a, or n where start_n_i (address bit above the index); t: words t_base .. t_base + Words + e.
//             Answered a cycle later.
// Reset       of the length of a pass at least: the streams drain during it.
// Source      Hutter, Wenger 2011 (operand caching); named as future work in Ramesh 2020, section 5.2.
module operand_cache #(
  parameter int unsigned W          = 16,
  parameter int unsigned Ports      = 2,
  parameter int unsigned Cached     = 4,                    // e
  parameter int unsigned Lanes      = 2,                    // multipliers
  parameter int unsigned Stages     = 3,
  parameter int unsigned Multiplier = multiply_pkg::Booth,  // of multiply_pkg
  parameter int unsigned Bits       = 1024,
  // Not to be set: what follows from the above.
  localparam int unsigned Words  = (Bits + W - 1) / W,
  localparam int unsigned TPorts = Ports == 2 ? 1 : 2,
  localparam int unsigned TWords = 2 * Words + 2 * Cached + 5,
  localparam int unsigned XAw    = $clog2(Words),
  localparam int unsigned TAw    = $clog2(TWords)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       y_ready_o,
  input  logic                       y_valid_i,
  input  logic [W-1:0]               y_i,
  output logic                       start_ready_o,
  input  logic                       start_valid_i,
  input  logic                       start_n_i,
  input  logic [TAw-1:0]             start_t_base_i,
  output logic                       busy_o,
  output logic                       done_o,      // with the last write of a pass
  output logic                       x_read_o,
  output logic [XAw:0]               x_address_o,
  input  logic [W-1:0]               x_data_i,
  output logic [TPorts-1:0]          t_read_o,
  output logic [TPorts-1:0]          t_write_o,
  output logic [TPorts-1:0][TAw-1:0] t_address_o,
  output logic [TPorts-1:0][W-1:0]   t_data_o,
  input  logic [TPorts-1:0][W-1:0]   t_data_i
);

  localparam int unsigned Fold    = Cached / Lanes;
  localparam int unsigned FoldW   = Fold > 1 ? $clog2(Fold) : 1;
  localparam int unsigned Columns = Words + Cached + 1;
  localparam int unsigned ColumnW = $clog2(Columns);
  localparam int unsigned SumW    = 2 * W + $clog2(Lanes + 1);
  localparam int unsigned AccW    = 2 * W + $clog2(Cached + 2);
  localparam int unsigned ReadTo  = 2;                           // from a read to its word at the lanes
  localparam int unsigned Latency = ReadTo + Stages + Lanes + Fold;
  localparam int unsigned WriteAt = Latency + ((TPorts == 1 && Latency % Fold == 0) ? 1 : 0);

  if (Ports == 1 || Ports > 4 || Lanes == 0 || Cached % Lanes != 0 || (Ports == 2 && Fold % 2 != 0)) begin : gen_bad
    $error("operand_cache: Ports 2, 3, 4 or 0; Lanes divides Cached; with 2 Ports, an even number of times");
  end
  if (WriteAt >= Fold * (Words + 1)) begin : gen_long
    $error("operand_cache: a pass would read words that are not yet written: fewer Stages or Lanes");
  end

  // ---- Sequencer: columns, each of Fold cycles
  logic               active_q, first_q, n_q, start, last_turn, last_column_q, loaded, loading_q;
  logic [FoldW-1:0]   turn_q;
  logic [ColumnW-1:0] column_q;
  logic [TAw-1:0]     t_read_address_q, base_q;

  assign last_turn     = Fold == 1 || turn_q == FoldW'(Fold - 1);
  assign start_ready_o = !loading_q && last_turn && (!active_q || last_column_q);  // so all passes take the same turns
  assign start         = start_ready_o && start_valid_i;
  assign y_ready_o     = !loading_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q  <= 1'b0;
      first_q   <= 1'b0;
      loading_q <= 1'b0;
    end else begin
      active_q  <= start || (active_q && !(last_turn && last_column_q));
      first_q   <= start;
      loading_q <= start || (loading_q && !loaded);
    end
  end
  always_ff @(posedge clk_i) begin
    turn_q <= (!rst_ni || last_turn) ? '0 : turn_q + 1'b1;
    if (start) last_column_q <= 1'b0;
    else if (last_turn) last_column_q <= column_q == ColumnW'(Columns - 2);
    if (start) begin
      n_q              <= start_n_i;
      base_q           <= start_t_base_i;
      column_q         <= '0;
      t_read_address_q <= start_t_base_i;
    end else if (last_turn) begin
      column_q         <= column_q + 1'b1;
      t_read_address_q <= t_read_address_q + 1'b1;
    end
  end

  // ---- Reads: a column's words in its first turn
  logic         begins, t_read, x_valid_q, t_valid_q;
  logic [W-1:0] x_q, t_q;

  assign begins      = active_q && turn_q == '0;
  assign t_read      = begins;
  assign x_read_o    = begins && column_q < ColumnW'(Words);
  assign x_address_o = {n_q, column_q[XAw-1:0]};
  always_ff @(posedge clk_i) begin
    x_valid_q <= x_read_o;
    t_valid_q <= t_read;
    x_q       <= x_valid_q ? x_data_i : '0;
    t_q       <= t_valid_q ? t_data_i[0] : '0;
  end

  // ---- Lanes: the words of y, held in each; x from lane to lane; sums of products
  logic [Cached-1:0][W-1:0] y_q;
  logic [Lanes:0]           load;
  logic                     column_start[Lanes+1];  // the first turn of a column, at this lane
  logic [W-1:0]             x[Lanes+1];
  logic [SumW-1:0]          sum[Lanes+1];

  always_ff @(posedge clk_i) begin
    if (y_valid_i && y_ready_o) begin
      y_q[Cached-1] <= y_i;
      for (int unsigned i = 0; i + 1 < Cached; i++) y_q[i] <= y_q[i+1];
    end
  end

  // A reset is one long column start: zeros go through the lanes, and what they and the accumulator held is gone.
  delay #(.Width(1), .Cycles(ReadTo)) u_begins (.clk_i, .d_i(begins || !rst_ni), .q_o(column_start[0]));
  delay #(.Width(1), .Cycles(ReadTo - 1)) u_load (.clk_i, .d_i(first_q && rst_ni), .q_o(load[0]));
  assign x[0] = x_q;
  logic [W-1:0] t_late;
  delay #(.Width(W), .Cycles(Stages)) u_t (.clk_i, .d_i(t_q), .q_o(t_late));
  assign sum[0] = SumW'(t_late);

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [Fold-1:0][W-1:0] held_q;
    logic [W-1:0]           x_now, y_now;
    logic [2*W-1:0]         product;

    always_ff @(posedge clk_i) if (load[l]) held_q <= y_q[l*Fold+:Fold];

    if (Fold == 1) begin : gen_each
      logic unused_start;
      assign unused_start = column_start[l];
      assign x_now = x[l];
      assign y_now = held_q[0];
    end else begin : gen_turns
      logic [W-1:0]     x_back;
      logic [FoldW-1:0] lane_turn_q;
      delay #(.Width(W), .Cycles(Fold + 1)) u_back (.clk_i, .d_i(x_now), .q_o(x_back));
      assign x_now = column_start[l] ? x[l] : x_back;
      // The turn after this one; a column starts anew at 0 by itself where they follow each other.
      always_ff @(posedge clk_i) begin
        lane_turn_q <= column_start[l] ? FoldW'(1) : lane_turn_q == FoldW'(Fold - 1) ? '0 : lane_turn_q + 1'b1;
      end
      assign y_now = held_q[column_start[l] ? '0 : lane_turn_q];
    end

    multiply #(.W(W), .Stages(Stages), .Multiplier(Multiplier)) u_product (
      .clk_i, .x_i(x_now), .y_i(y_now), .p_o(product)
    );
    always_ff @(posedge clk_i) sum[l+1] <= sum[l] + SumW'(product);

    // A word goes on to the next lane after its last turn here, and that lane is a cycle behind this one.
    delay #(.Width(W), .Cycles(2)) u_x (.clk_i, .d_i(x_now), .q_o(x[l+1]));
    delay #(.Width(1), .Cycles(1)) u_start (.clk_i, .d_i(column_start[l]), .q_o(column_start[l+1]));
    delay #(.Width(1), .Cycles(1)) u_load (.clk_i, .d_i(load[l]), .q_o(load[l+1]));
  end
  assign loaded = load[Lanes-1];

  // ---- The accumulator, and the writes
  logic            acc_start, soon, soon_first, write_q, passes_end;
  logic [AccW-1:0] acc_q, acc_d;
  logic [TAw-1:0]  write_address_q;
  logic [1:0]      passes_q;   // begun and not all written
  logic            last_soon, last_q;

  delay #(.Width(1), .Cycles(Stages)) u_acc_start (.clk_i, .d_i(column_start[Lanes]), .q_o(acc_start));
  choose_add #(.Width(AccW)) u_add (
    .a_i(AccW'(sum[Lanes])), .b_i(acc_q), .c_i(acc_q >> W), .select_i(Fold == 1 || acc_start), .sum_o(acc_d)
  );
  always_ff @(posedge clk_i) acc_q <= acc_d;
  if (Fold == 1) begin : gen_no_turn
    logic unused_start;
    assign unused_start = acc_start;
  end

  delay #(.Width(3), .Cycles(WriteAt - 1)) u_soon (
    .clk_i, .d_i({begins, first_q, begins && last_column_q}), .q_o({soon, soon_first, last_soon})
  );
  logic [W-1:0] word;
  delay #(.Width(W), .Cycles(WriteAt - Latency)) u_word (.clk_i, .d_i(acc_q[W-1:0]), .q_o(word));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q  <= 1'b0;
      passes_q <= '0;
    end else begin
      write_q  <= soon;
      passes_q <= passes_q + 2'(first_q) - 2'(passes_end);
    end
  end
  always_ff @(posedge clk_i) begin
    last_q <= last_soon;
    if (soon) write_address_q <= soon_first ? base_q : write_address_q + 1'b1;
  end
  assign passes_end = write_q && last_q;
  assign done_o     = passes_end;
  assign busy_o     = active_q || passes_q != '0;  // passes_q is a cycle late

  if (TPorts == 1) begin : gen_shared
    assign t_read_o    = t_read;
    assign t_write_o   = write_q;
    assign t_address_o = write_q ? write_address_q : t_read_address_q;
    assign t_data_o    = word;
  end else begin : gen_two
    logic [W-1:0] unused_data;
    assign unused_data = t_data_i[1];
    assign t_read_o    = {1'b0, t_read};
    assign t_write_o   = {write_q, 1'b0};
    assign t_address_o = {write_address_q, t_read_address_q};
    assign t_data_o    = {word, W'(0)};
  end

endmodule
