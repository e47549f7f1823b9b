// SPDX-License-Identifier: Apache-2.0
// Product scanning: a run of one column of a product, acc += sum over i < count of x[x_base + i] * y[y_base - i].
//
// The partial sum stays in the accumulator: a product costs two words over the ports and nothing is written back. The
// processor issues two runs a column (a by b, m by n), takes the low word to make the next quotient digit m, adds its
// product with n[0] by a run of one, and has the accumulator shifted.
//
//   cycle      0    1    2    3    4    5    6    7    8        Stages = 2, a run of three words
//   start      S              S'                                S: taken; S': the next may be
//   read            0    1    2                                 x and y
//   product                             0    1    2             from cycle 3 + Stages on
//   acc_o                                    +0   +1   +2
//   busy_o     0    1    1    1    1    1    1    1    0
//
// Ports       2 and 3: an x and a y port, one multiplier; 4: two of each, two multipliers; 0: Unroll of each.
// Memories    x: a, then n; y: b, then m (start_n_i chooses; address bit above the index). Answered a cycle later.
// Operands    of s = ceil(Bits / W) words; R = 2^(W * s).
// Contract    a run is taken as soon as the one before has read its last words; busy_o falls when acc_o is complete.
//             start_shift_i: after this run the accumulator moves down a word; take no other run before busy_o falls.
// Reset       of Stages + 4 cycles at least.
// Source      Koç, Acar, Kaliski 1996 (FIPS); named as future work in Ramesh 2020, section 5.2.
module product_scan #(
  parameter int unsigned W          = 16,
  parameter int unsigned Ports      = 2,
  parameter int unsigned Unroll     = 1,                    // multipliers where Ports is 0
  parameter int unsigned Stages     = 1,
  parameter int unsigned Multiplier = multiply_pkg::Booth,  // of multiply_pkg
  parameter int unsigned Bits       = 1024,
  // Not to be set: what follows from the above.
  localparam int unsigned Words = (Bits + W - 1) / W,
  localparam int unsigned Lanes = Ports == 0 ? Unroll : Ports / 2,
  localparam int unsigned Aw    = $clog2(Words),
  localparam int unsigned AccW  = 2 * W + $clog2(2 * Words) + 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       start_ready_o,
  input  logic                       start_valid_i,
  input  logic                       start_n_i,
  input  logic                       start_shift_i,
  input  logic [Aw-1:0]              start_x_base_i,
  input  logic [Aw-1:0]              start_y_base_i,
  input  logic [Aw:0]                start_count_i,
  output logic                       busy_o,
  output logic [W-1:0]               acc_o,        // the low word
  output logic [Lanes-1:0]           read_o,       // x and y
  output logic [Lanes-1:0][Aw:0]     x_address_o,
  output logic [Lanes-1:0][Aw:0]     y_address_o,
  input  logic [Lanes-1:0][W-1:0]    x_data_i,
  input  logic [Lanes-1:0][W-1:0]    y_data_i
);

  if (Ports == 1 || Ports > 4) begin : gen_bad_parameter
    $error("product_scan: Ports must be 0, 2, 3 or 4");
  end

  logic          active_q, n_q, shift_q, start, last;
  logic [Aw-1:0] x_q, y_q;
  logic [Aw:0]   left_q;

  assign last          = left_q <= (Aw+1)'(Lanes);
  assign start_ready_o = !active_q || last;
  assign start         = start_ready_o && start_valid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) active_q <= 1'b0;
    else active_q <= start || (active_q && !last);
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      n_q     <= start_n_i;
      shift_q <= start_shift_i;
      x_q     <= start_x_base_i;
      y_q     <= start_y_base_i;
      left_q  <= start_count_i;
    end else begin
      x_q    <= x_q + Aw'(Lanes);
      y_q    <= y_q - Aw'(Lanes);
      left_q <= left_q - (Aw+1)'(Lanes);
    end
  end

  // Two words of the memories' answers a lane, then the product. What is not read is zero.
  logic [Lanes-1:0]           valid_q;
  logic [Lanes-1:0][2*W-1:0]  product;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [W-1:0] x_word_q, y_word_q;

    assign read_o[l]      = active_q && left_q > (Aw+1)'(l);
    assign x_address_o[l] = {n_q, x_q + Aw'(l)};
    assign y_address_o[l] = {n_q, y_q - Aw'(l)};
    always_ff @(posedge clk_i) begin
      valid_q[l] <= read_o[l];
      x_word_q   <= valid_q[l] ? x_data_i[l] : '0;
      y_word_q   <= y_data_i[l];
    end
    multiply #(.W(W), .Stages(Stages), .Multiplier(Multiplier)) u_product (
      .clk_i, .x_i(x_word_q), .y_i(y_word_q), .p_o(product[l])
    );
  end

  logic            shift, ended;
  logic [4:0]      runs_q;
  logic [AccW-1:0] acc_q, acc_d;

  // From the last read to the product: memory, operand register, Stages; then the accumulator.
  delay #(.Width(2), .Cycles(2 + Stages)) u_end (
    .clk_i, .d_i({active_q && last, active_q && last && shift_q}), .q_o({ended, shift})
  );

  always_comb begin
    acc_d = acc_q;
    for (int unsigned l = 0; l < Lanes; l++) acc_d += AccW'(product[l]);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      acc_q  <= '0;
      runs_q <= '0;
    end else begin
      acc_q  <= shift ? acc_d >> W : acc_d;
      runs_q <= runs_q + 5'(start) - 5'(ended);
    end
  end
  assign busy_o = runs_q != '0;
  assign acc_o  = acc_q[W-1:0];

endmodule
