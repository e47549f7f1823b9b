// SPDX-License-Identifier: Apache-2.0
// Hybrid scanning: product scanning over blocks of d words. A run is a column of blocks, acc += sum over i < count of
// X[x_base + i] * Y[y_base - i]; a block product is d^2 word products for 2d words, so 2/d words a word product.
//
// The d words of X are held by d multipliers; the words of Y pass all of them, one a turn. The sum of a turn is added
// to the accumulator at the place of its word. The processor does as with product_scan, with words of d * W bits.
//
//   cycle      0    1    2    3    4    5    6    7    8    9         d = 2, Stages = 1; a run of two blocks
//   start      S                   S'                                 S: taken; S': the next may be
//   read            x0   x1   x2   x3                                 and y0 ..
//   held                           .    x01       x23
//   y at the multipliers                y0   y1   y2   y3             product: x01 * y0, a word at each multiplier
//   acc_o                                              .    +x01*y0   5 cycles after the word of y: see Latency
//
// Cost        roofline (2 s^2 + s) * max(1 / d, (2 / d) / 2) = (2 s^2 + s) / d; predicted for a multiplication with
//             c = ceil(s / d) blocks: d * (2 c^2 + c) + 2 c * (Latency + 2): once a column the processor waits for the
//             accumulator, to find m or to take a block of the result, which is then shifted by a run of d cycles.
// Ports       2: an x and a y port. 3, 4 and 0: the same unit, which wants no more.
// Memories    x: a, then n; y: b, then m (start_n_i chooses; address bit above the index); words of a block at
//             multiples of d, zero above the operand. Answered a cycle later.
// Contract    bases are of the first word of a block. A run is taken as soon as the one before has read its last words;
//             busy_o falls when acc_o is complete. start_shift_i: after this run the accumulator moves down d words.
//             start_count_i = 0: nothing is added.
// Reset       of d + Latency + 2 cycles at least.
// Source      Gura, Patel, Wander, Eberle, Shantz 2004; named as future work in Ramesh 2020, section 5.2.
module hybrid_scan #(
  parameter int unsigned W          = 16,
  parameter int unsigned Ports      = 2,
  parameter int unsigned D          = 2,                    // words of a block
  parameter int unsigned Stages     = 3,
  parameter int unsigned Multiplier = multiply_pkg::Booth,  // of multiply_pkg
  parameter int unsigned Bits       = 1024,
  // Not to be set: what follows from the above.
  localparam int unsigned Blocks = ((Bits + W - 1) / W + D - 1) / D,
  localparam int unsigned Words  = Blocks * D,
  localparam int unsigned Aw     = $clog2(Words),
  localparam int unsigned CountW = $clog2(Blocks + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              start_ready_o,
  input  logic              start_valid_i,
  input  logic              start_n_i,
  input  logic              start_shift_i,
  input  logic [Aw-1:0]     start_x_base_i,
  input  logic [Aw-1:0]     start_y_base_i,
  input  logic [CountW-1:0] start_count_i,
  output logic              busy_o,
  output logic [D*W-1:0]    acc_o,        // the low block
  output logic              read_o,       // x and y
  output logic [Aw:0]       x_address_o,
  output logic [Aw:0]       y_address_o,
  input  logic [W-1:0]      x_data_i,
  input  logic [W-1:0]      y_data_i
);

  localparam int unsigned TurnW   = D > 1 ? $clog2(D) : 1;
  localparam int unsigned BlockW  = (D + 1) * W;                       // of the sum of a turn
  localparam int unsigned AccW    = 2 * D * W + $clog2(2 * Blocks) + 1;
  localparam int unsigned Held    = 2 + D;              // from a read to its word of y at the multipliers
  localparam int unsigned Latency = Held + Stages + 2;  // and to the cycle that adds it

  if (Ports == 1 || Ports > 4 || D < 1) begin : gen_bad_parameter
    $error("hybrid_scan: Ports must be 0, 2, 3 or 4, and D at least 1");
  end

  // ---- Sequencer: words of blocks
  logic              active_q, n_q, shift_q, empty_q, start, started_q, last_turn, last_block_q, last;
  logic [Aw-1:0]     x_q, y_q;
  logic [CountW-1:0] left_q;
  logic [TurnW-1:0]  turn_q;

  assign last_turn     = turn_q == TurnW'(D - 1);
  assign last          = last_turn && last_block_q;
  assign start_ready_o = !active_q || last;
  assign start         = start_ready_o && start_valid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) {active_q, started_q} <= '0;
    else {active_q, started_q} <= {start || (active_q && !last), start};
  end
  always_ff @(posedge clk_i) begin
    if (start) last_block_q <= start_count_i <= CountW'(1);
    else if (last_turn) last_block_q <= left_q == CountW'(2);
    if (start) begin
      n_q     <= start_n_i;
      shift_q <= start_shift_i;
      empty_q <= start_count_i == '0;
      x_q     <= start_x_base_i;
      y_q     <= start_y_base_i;
      left_q  <= start_count_i;
      turn_q  <= '0;
    end else begin
      x_q    <= x_q + 1'b1;
      y_q    <= last_turn ? y_q - Aw'(2 * D - 1) : y_q + 1'b1;
      left_q <= left_q - CountW'(last_turn);
      turn_q <= last_turn ? '0 : turn_q + 1'b1;
    end
  end

  assign read_o      = active_q && !empty_q;
  assign x_address_o = {n_q, x_q};
  assign y_address_o = {n_q, y_q};

  // ---- The block: its words of x gathered, then held by the multipliers while its words of y pass
  logic                read_q, gathered;
  logic [W-1:0]        y_word_q, y_turn;
  logic [D-1:0][W-1:0] x_words_q, held_q;

  always_ff @(posedge clk_i) begin
    read_q         <= read_o;
    x_words_q[D-1] <= x_data_i;
    for (int unsigned i = 0; i + 1 < D; i++) x_words_q[i] <= x_words_q[i+1];
    y_word_q       <= read_q ? y_data_i : '0;  // alone: a product with it is zero
    if (gathered) held_q <= x_words_q;
  end
  delay #(.Width(1), .Cycles(2)) u_gathered (.clk_i, .d_i(active_q && last_turn), .q_o(gathered));
  delay #(.Width(W), .Cycles(D)) u_y (.clk_i, .d_i(y_word_q), .q_o(y_turn));

  // ---- Products: those of even words do not overlap, nor those of odd ones
  logic [D:0][W-1:0]         even, odd;  // {D+1 words}
  logic [D-1:0][2*W-1:0]     product;
  logic [BlockW-1:0]         block_q;
  logic [TurnW-1:0]          place;
  logic [2*D*W-1:0]          placed_q;

  for (genvar i = 0; i < D; i++) begin : gen_product
    multiply #(.W(W), .Stages(Stages), .Multiplier(Multiplier)) u_product (
      .clk_i, .x_i(held_q[i]), .y_i(y_turn), .p_o(product[i])
    );
  end
  always_comb begin
    even = '0;
    odd  = '0;
    for (int unsigned i = 0; i < D; i++) begin
      if (i % 2 == 0) even[i+:2] = product[i];
      else odd[i+:2] = product[i];
    end
  end
  delay #(.Width(TurnW), .Cycles(Held + Stages + 1)) u_place (.clk_i, .d_i(turn_q), .q_o(place));
  always_ff @(posedge clk_i) begin
    block_q  <= even + odd;
    placed_q <= '0;
    for (int unsigned i = 0; i < D; i++) begin
      if (place == TurnW'(i)) placed_q[i*W+:BlockW] <= block_q;
    end
  end

  // ---- The accumulator, moved down in the cycle after the last word of a run that says so; a reset moves it all out
  logic            shift, ended;
  logic [4:0]      runs_q;
  logic [AccW-1:0] acc_q, acc_d;

  delay #(.Width(2), .Cycles(Latency + 1)) u_end (
    .clk_i, .d_i({active_q && last, (active_q && last && shift_q) || !rst_ni}), .q_o({ended, shift})
  );
  choose_add #(.Width(AccW)) u_add (
    .a_i(AccW'(placed_q)), .b_i(acc_q), .c_i(acc_q >> (D * W)), .select_i(shift), .sum_o(acc_d)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) runs_q <= '0;
    else runs_q <= runs_q + 5'(started_q) - 5'(ended);
  end
  always_ff @(posedge clk_i) acc_q <= acc_d;
  assign busy_o = active_q || runs_q != '0;  // runs_q is a cycle late
  assign acc_o  = acc_q[D*W-1:0];

endmodule
