// SPDX-License-Identifier: Apache-2.0
// A whole Montgomery multiplication by r rows of FIOS, the partial sum in a FIFO of the unit: only words of a and n
// cross the ports, 1/r words a word product.
//
//            a ->  row 0  ->  row 1  ->  ...  ->  row r-1         t goes through the rows, then through the memory to
//            n ->    |          |                    |            the rows again: s/r times
//            t ->    |  ->      |  -> ...         -> |  -> memory of s + 1 words -> t
//
//   cycle         0    1    2    3    4    5    6    7            Stages = 1
//   launch        1                                               of a pass; the next one Interval cycles later
//   read of a          a[0] a[1] a[2]
//   a at row 0                   a[0] a[1] a[2]
//   t at row 0                             t[0] t[1]              Stages + 1 cycles after a; zero in the first pass
//   read of n                    n'             n[0] n[1]         2 * Stages + 3 cycles after a, n' Stages + 2 before
//
// After the last pass the sum goes from the FIFO to the memory of the result, over the port of a, which is free then.
//
// Interval    the larger one of s + Stages + 1 (the multiplier of n gives m as well) and r * Hop + 3 (t is through the
//             rows).
// Cost        roofline (2 s^2 + s) * max(1 / 2r, 1 / 2r) = s^2 / r + s / 2r; predicted, P = ceil(s / r) passes:
//             P * Interval + Stages + s + 5, with all quotient digits. Words: (2 s + 1) P + s + 1.
// Contract    result = a * b / R mod n, < 2 n, with R = 2^(W * r * P); n odd, a, b < n. b: r P words, zero above the
//             operand, b[0] first, each taken when y_valid_i && y_ready_o; also before the start. busy_o from the cycle
//             after the start until done_o, which comes with the last write.
// Ports       2: an a and an n port; 3, 4 and 0: the same unit, which wants no more.
// Memories    a port: reads a (address bit above the index 0), writes the result of s + 1 words (1). n port: reads n and
//             behind it, at s, n' = -1 / n mod 2^W. Answered a cycle later.
// Reset       of Interval + r * Hop cycles at least: the streams drain during it.
// Source      Koç, Acar, Kaliski 1996 (FIOS); rows that pass t on, and a queue from the last to the first: Tenca, Koç
//             1999.
module fifo_rows #(
  parameter int unsigned W          = 16,
  parameter int unsigned Ports      = 2,
  parameter int unsigned Rows       = 2,
  parameter int unsigned Stages     = 3,
  parameter int unsigned Multiplier = multiply_pkg::Booth,  // of multiply_pkg
  parameter int unsigned Bits       = 1024,
  // Not to be set: what follows from the above.
  localparam int unsigned Words = (Bits + W - 1) / W,
  localparam int unsigned Aw    = $clog2(Words + 1)
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         y_ready_o,
  input  logic         y_valid_i,
  input  logic [W-1:0] y_i,
  output logic         start_ready_o,
  input  logic         start_valid_i,
  output logic         busy_o,
  output logic         done_o,
  output logic         a_read_o,
  output logic         a_write_o,
  output logic [Aw:0]  a_address_o,
  input  logic [W-1:0] a_data_i,
  output logic [W-1:0] a_data_o,
  output logic         n_read_o,
  output logic [Aw-1:0] n_address_o,
  input  logic [W-1:0] n_data_i
);

  localparam int unsigned Hop      = 2 * Stages + 5;
  localparam int unsigned Through  = Rows * Hop + 3;
  localparam int unsigned Interval = Words + Stages + 1 > Through ? Words + Stages + 1 : Through;
  localparam int unsigned Passes   = (Words + Rows - 1) / Rows;
  localparam int unsigned PassW    = $clog2(Passes + 2);
  localparam int unsigned CountW   = $clog2(Rows + 1);

  if (Ports == 1 || Ports > 4) begin : gen_bad_ports
    $error("fifo_rows: Ports must be 2, 3, 4 or 0");
  end
  if (Rows < 1) begin : gen_bad_rows
    $error("fifo_rows: Rows must be 1 or more");
  end

  // ---- Sequencer: passes of s + 1 words, and the one that empties the FIFO. The index is s between passes
  logic             ready_q, next, launch, any_q, first_q, drain_next_q, over_q, active_q, last, y_full_q, taken;
  logic [Aw-1:0]    index_q;
  logic [PassW-1:0] pass_q;   // launched

  assign start_ready_o = !busy_o;
  assign launch        = busy_o && ready_q && (drain_next_q || y_full_q) && !over_q;
  assign last          = active_q && index_q == Aw'(Words);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_o   <= 1'b0;
      ready_q  <= 1'b1;
      active_q <= 1'b0;
    end else begin
      busy_o   <= busy_o ? !done_o : start_valid_i;
      active_q <= launch || (active_q && !last);
      if (launch) ready_q <= 1'b0;
      else if (next) ready_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    index_q <= launch ? '0 : active_q && !last ? index_q + 1'b1 : Aw'(Words);
    if (!busy_o) begin
      pass_q       <= '0;
      any_q        <= 1'b0;
      drain_next_q <= 1'b0;
      over_q       <= 1'b0;
    end else if (launch) begin
      pass_q       <= pass_q + 1'b1;
      any_q        <= 1'b1;
      first_q      <= !any_q;
      drain_next_q <= pass_q == PassW'(Passes - 1);
      over_q       <= drain_next_q;
    end
  end
  if (Interval == Words + Stages + 1) begin : gen_by_words
    delay #(.Width(1), .Cycles(Stages - 1)) u_next (.clk_i, .d_i(last && rst_ni), .q_o(next));
  end else begin : gen_by_rows
    localparam int unsigned SlotW = $clog2(Interval);
    logic [SlotW-1:0] slot_q;  // since the last launch
    always_ff @(posedge clk_i) slot_q <= launch ? '0 : slot_q + 1'b1;
    assign next = slot_q == SlotW'(Interval - 2);
  end

  // ---- Words of b: taken all when the last row has its own
  logic [Rows-1:0][W-1:0] y_q;
  logic [CountW-1:0]      y_count_q;

  assign y_ready_o = !y_full_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || taken) begin
      y_count_q <= '0;
      y_full_q  <= 1'b0;
    end else if (y_valid_i && !y_full_q) begin
      y_count_q <= y_count_q + 1'b1;
      y_full_q  <= y_count_q == CountW'(Rows - 1);
    end
  end
  always_ff @(posedge clk_i) begin
    if (y_valid_i && !y_full_q) begin
      y_q[Rows-1] <= y_i;
      for (int unsigned r = 0; r + 1 < Rows; r++) y_q[r] <= y_q[r+1];
    end
  end

  // ---- Reads of a, and of n with its inverse before it
  logic          load_first, inverse, n_span, out, a_valid_q, n_valid_q;
  logic [Aw-1:0] out_index;
  logic [W-1:0]  a_q, n_q;

  assign a_read_o    = active_q && !last && !over_q;
  assign a_address_o = {out, out ? out_index : index_q};
  assign n_read_o    = inverse || n_span;
  delay #(.Width(1), .Cycles(2)) u_load (.clk_i, .d_i(launch && !drain_next_q && rst_ni), .q_o(load_first));
  delay #(.Width(1), .Cycles(Stages + 1)) u_inverse (.clk_i, .d_i(load_first), .q_o(inverse));
  delay #(.Width(1), .Cycles(2 * Stages + 3)) u_n_span (.clk_i, .d_i(a_read_o && rst_ni), .q_o(n_span));
  delay #(.Width(Aw), .Cycles(2 * Stages + 3)) u_n_index (.clk_i, .d_i(index_q), .q_o(n_address_o));

  always_ff @(posedge clk_i) begin
    a_valid_q <= a_read_o;
    n_valid_q <= n_read_o;
    a_q       <= a_valid_q ? a_data_i : '0;
    n_q       <= n_valid_q ? n_data_i : '0;
  end

  // ---- The rows
  logic         load[Rows+1];
  logic [W-1:0] a[Rows+1], n[Rows+1], t[Rows+1];
  logic         t_valid;

  assign load[0] = load_first;
  assign a[0] = a_q;
  assign n[0] = n_q;
  for (genvar r = 0; r < Rows; r++) begin : gen_row
    fios_cell #(.W(W), .Stages(Stages), .Multiplier(Multiplier)) u_cell (
      .clk_i, .load_i(load[r]), .b_i(y_q[r]), .a_i(a[r]), .n_i(n[r]), .t_i(t[r]),
      .t_valid_i(r != 0 || t_valid), .load_o(load[r+1]), .a_o(a[r+1]), .n_o(n[r+1]), .t_o(t[r+1])
    );
  end
  assign taken = load[Rows-1];

  // ---- The FIFO: words 0 .. s of the sum, at their index
  logic          t_write, t_again, t_drain;
  logic [Aw-1:0] t_index, written_q;

  delay #(.Width(2), .Cycles(Stages + 1)) u_t_read (
    .clk_i, .d_i({2{active_q && rst_ni}} & {!first_q && !over_q, over_q}), .q_o({t_again, t_drain})
  );
  delay #(.Width(Aw), .Cycles(Stages + 1)) u_t_index (.clk_i, .d_i(index_q), .q_o(t_index));
  delay #(.Width(1), .Cycles(Rows * Hop + Stages + 3)) u_t_write (
    .clk_i, .d_i(active_q && !over_q && rst_ni), .q_o(t_write)
  );
  always_ff @(posedge clk_i) written_q <= t_write ? written_q + 1'b1 : '0;
  ram #(.Width(W), .Depth(1 << Aw)) u_t (
    .clk_i, .write_enable_i(t_write), .write_address_i(written_q), .write_data_i(t[Rows]), .read_address_i(t_index),
    .read_data_o(t[0])
  );
  delay #(.Width(2), .Cycles(2)) u_t_valid (.clk_i, .d_i({t_again, t_drain}), .q_o({t_valid, out}));
  delay #(.Width(Aw), .Cycles(2)) u_out_index (.clk_i, .d_i(t_index), .q_o(out_index));
  delay #(.Width(1), .Cycles(Stages + 3)) u_done (.clk_i, .d_i(last && over_q && rst_ni), .q_o(done_o));

  assign a_write_o = out;
  assign a_data_o  = t[0];

  logic unused;
  assign unused = ^{load[Rows], a[Rows], n[Rows]};

endmodule
