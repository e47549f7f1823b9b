// SPDX-License-Identifier: Apache-2.0
// One pass of a word-serial Montgomery multiplication over operands in outside memories: t += x * y, for the rows of
// the chosen design at once. The processor runs the outer loop: it supplies the multiplier words y (words of b, or
// quotient digits m), starts a pass, and moves t_base on after each reduction.
//
//   cycle           0    1    2    3    4    5    6    7    8    9    10   11       Cios, 3 ports: Period 2, WriteAt 5
//   start           ^ taken
//   read of step         0    0    1    1    2    2                                 x and t words of the group, over as
//   write of step                                 0    0    1    1    2    2        many cycles as the ports need
//   busy_o          0    1    1    1    1    1    1    1    1    1    1    1
//   done_o                                                                 1
//
// Step k reads from cycle 1 + k * Period on, and writes WriteAt later.
// With Pipelined a step starts as soon as the ports are free again; without, when the step before is written.
// RowChain takes the next pass while the last one drains: y may be shifted in when y_ready_o, start_ready_o comes with
// the last step. The others take a pass at a time.
//
// Contract    A pass starts when start_valid_i && start_ready_o; start_n_i and start_t_base_i are looked at then. Its
//             sum fits the words it writes: t + x*y (Fios: t + a*y + n*m) < 2^(W*(Words + rows + 1)), rows being 1, 2
//             of two-row, Rows of RowChain. y_valid_i comes only while y_ready_o. busy_o is high from the cycle after a
//             start until its done_o.
// Memories    x: operand a, or n where start_n_i (address bit above the index); n: operand n (Fios alone);
//             t: TWords words, zero above the value; a pass reads and writes words t_base .. t_base + Words + rows.
//             Words read are answered a cycle later. Ports: see row_pkg.
// Reset       of the length of a pass at least: the streams drain during it.
// Operands    of s = ceil(Bits / W) words; R = 2^(W * rows * ceil(s / rows)): y is zero above the operand.
// Multiplier  y: Rows words (Fios: y, then m), y[0] first, one a y_valid_i, before start; held by the unit.
// Source      Ramesh 2020, chapters 3 and 4.
module row
  import row_pkg::*;
#(
  parameter int unsigned Algorithm  = 3,                    // row_pkg::algorithm_e
  parameter int unsigned W          = 16,                   // bits a word
  parameter int unsigned Ports      = 3,                    // 2, 3, 4; 0: as many as a step wants
  parameter bit          Pipelined  = 1'b1,
  parameter int unsigned Unroll     = 1,                    // not of RowChain
  parameter int unsigned Rows       = 4,                    // of RowChain
  parameter int unsigned Stages     = 1,                    // registers in a multiplier of RowChain
  parameter int unsigned Multiplier = multiply_pkg::Booth,  // of multiply_pkg
  parameter int unsigned Bits       = 1024,                 // of the operands
  // Not to be set: what follows from the above.
  localparam algorithm_e  Design   = algorithm_e'(Algorithm[2:0]),
  localparam int unsigned Words    = (Bits + W - 1) / W,
  localparam int unsigned Group    = group(Design, Unroll),
  localparam int unsigned XPorts   = x_ports(Design, Ports, Group),
  localparam int unsigned TPorts   = t_ports(Design, Ports, Group),
  localparam int unsigned RowsUsed = Design == RowChain ? Rows : Design == TwoRow ? 2 : 1,
  localparam int unsigned TWords   = 2 * Words + RowsUsed + 5 + Group,
  localparam int unsigned XAw      = $clog2(Words),
  localparam int unsigned TAw      = $clog2(TWords)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         y_ready_o,
  input  logic                         y_valid_i,
  input  logic [W-1:0]                 y_i,
  output logic                         start_ready_o,
  input  logic                         start_valid_i,
  input  logic                         start_n_i,
  input  logic [TAw-1:0]               start_t_base_i,
  output logic                         busy_o,
  output logic                         done_o,      // with the last write of a pass
  output logic [XPorts-1:0]            x_read_o,
  output logic [XPorts-1:0][XAw:0]     x_address_o,
  input  logic [XPorts-1:0][W-1:0]     x_data_i,
  input  logic [XPorts-1:0][W-1:0]     n_data_i,    // Fios: the same index of n
  output logic [TPorts-1:0]            t_read_o,
  output logic [TPorts-1:0]            t_write_o,
  output logic [TPorts-1:0][TAw-1:0]   t_address_o,
  output logic [TPorts-1:0][W-1:0]     t_data_o,
  input  logic [TPorts-1:0][W-1:0]     t_data_i
);

  localparam int unsigned Readers    = TPorts == 1 ? 1 : TPorts / 2;
  localparam int unsigned Writers    = Readers;
  localparam int unsigned XSlots     = Group / XPorts;
  localparam int unsigned TSlots     = Group / Readers;
  localparam int unsigned ReadSlots  = max(XSlots, TSlots);
  localparam int unsigned WriteSlots = Group / Writers;

  // How far x runs behind t, and the result behind t, in words.
  localparam int unsigned XBehind   = Design == TwoRow ? 2 : Design == RowChain ? Rows - 1 : 0;
  localparam int unsigned OutBehind = Design == TwoRow ? 2 : 0;
  localparam int unsigned Steps     = (Words + RowsUsed + 1 + OutBehind + Group - 1) / Group;

  localparam int unsigned Fold    = (Design == RowChain && TPorts == 1) ? 2 : 1;
  localparam int unsigned Latency = Design == RowChain ? Rows * (Stages + 1) + Fold - 1 : Design == Fios ? 3 : 2;

  // The modulo schedule: reads of a step in slots 0.., its writes from WriteAt on, a step every Period.
  localparam int unsigned Earliest = ReadSlots + 1 + Latency;
  localparam int unsigned Period   = !Pipelined ? Earliest + WriteSlots :
                                     TPorts == 1 ? max(XSlots, 2 * Group) : max(ReadSlots, WriteSlots);
  localparam int unsigned Pad      = (Pipelined && TPorts == 1) ? (Group + Period - Earliest % Period) % Period : 0;
  localparam int unsigned WriteAt  = Earliest + Pad;
  localparam int unsigned SlotW    = Period > 1 ? $clog2(Period) : 1;
  localparam int unsigned StepW    = $clog2(Steps);
  localparam int unsigned IndexW   = $clog2(Steps * Group + 2);

  if (Algorithm > 3) begin : gen_bad_algorithm
    $error("row: Algorithm must be 0 to 3");
  end
  if (Ports == 1 || Ports > 4 || (Ports == 2 && Design == Fios)) begin : gen_bad_ports
    $error("row: Ports must be 2 (not with Fios), 3, 4 or 0");
  end
  if (W % 2 != 0) begin : gen_bad_word
    $error("row: W must be even");
  end
  if (Design == RowChain && (!Pipelined || Unroll != 1)) begin : gen_bad_chain
    $error("row: RowChain is pipelined and not unrolled");
  end
  if (Design == RowChain && WriteAt >= Steps * Period) begin : gen_long_chain
    $error("row: the chain is longer than a pass, which would read words not yet written: fewer Rows or Stages");
  end

  // ---- Sequencer: steps and slots
  logic              active_q, first_q, last_slot, last_step, start;
  logic [SlotW-1:0]  slot_q;
  logic [StepW-1:0]  step_q;
  logic              free;     // for the next pass

  assign last_slot     = slot_q == SlotW'(Period - 1);
  assign last_step     = step_q == StepW'(Steps - 1);
  assign start_ready_o = last_slot && free;
  assign start         = start_ready_o && start_valid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      first_q  <= 1'b0;
      slot_q   <= Design == RowChain ? '0 : SlotW'(Period - 1);
      step_q   <= '0;
    end else begin
      // Between passes RowChain's slots go on (its laps take turns by them), the others' wait at the last one.
      if (Design == RowChain || start || (active_q && !(last_slot && last_step))) begin
        slot_q <= last_slot ? '0 : slot_q + 1'b1;
      end
      if (last_slot) begin
        first_q <= start;
        if (start) begin
          active_q <= 1'b1;
          step_q   <= '0;
        end else if (last_step) begin
          active_q <= 1'b0;
        end else begin
          step_q <= step_q + 1'b1;
        end
      end
    end
  end

  // ---- Reads: indices of x (zero outside the operand) and addresses of t
  logic                  n_q;
  logic [TAw-1:0]        base_q, t_address_q;
  logic [IndexW-1:0]     x_index_q;
  logic                  x_slot, t_slot;
  logic [XPorts-1:0]     x_inside;
  logic [TAw-1:0]        write_address_q;
  logic [TPorts-1:0]     writing;

  assign x_slot = active_q && 32'(slot_q) < XSlots;
  assign t_slot = active_q && 32'(slot_q) < TSlots;

  always_ff @(posedge clk_i) begin
    if (start) begin
      n_q         <= start_n_i;
      base_q      <= start_t_base_i;
      t_address_q <= start_t_base_i;
      x_index_q   <= -IndexW'(XBehind);
    end else begin
      if (x_slot) x_index_q <= x_index_q + IndexW'(XPorts);
      if (t_slot) t_address_q <= t_address_q + TAw'(Readers);
    end
  end

  for (genvar p = 0; p < XPorts; p++) begin : gen_x_port
    logic [IndexW-1:0] index;
    assign index = x_index_q + IndexW'(p);
    assign x_inside[p] = index < IndexW'(Words);
    assign x_read_o[p] = x_slot && x_inside[p];
    assign x_address_o[p] = {n_q, index[XAw-1:0]};
  end

  for (genvar p = 0; p < TPorts; p++) begin : gen_t_port
    if (TPorts == 1) begin : gen_shared
      assign t_read_o[p] = t_slot;
      assign t_address_o[p] = writing[p] ? write_address_q : t_address_q;
    end else if (p < Readers) begin : gen_read
      assign t_read_o[p] = t_slot;
      assign t_address_o[p] = t_address_q + TAw'(p);
    end else begin : gen_write
      assign t_read_o[p] = 1'b0;
      assign t_address_o[p] = write_address_q + TAw'(p - Readers);
    end
    assign t_write_o[p] = writing[p];
  end

  // ---- The group: words wait until the last one of their step is there
  logic                    arriving_q;    // the memories answer
  logic [SlotW-1:0]        arriving_slot_q;
  logic [XPorts-1:0]       x_valid_q;
  logic                    gathered;
  logic [Group-1:0][W-1:0] x_q, n_words_q, t_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      arriving_q <= 1'b0;
    end else begin
      arriving_q <= active_q;
    end
  end
  always_ff @(posedge clk_i) begin
    arriving_slot_q <= slot_q;
    x_valid_q       <= x_read_o;
  end
  assign gathered = 32'(arriving_slot_q) == ReadSlots - 1;

  for (genvar g = 0; g < Group; g++) begin : gen_group
    logic [W-1:0] x, n, t;
    logic         x_zero, t_zero;
    if (g / XPorts == ReadSlots - 1) begin : gen_x_now
      assign x = x_data_i[g%XPorts];
      assign n = n_data_i[g%XPorts];
      assign x_zero = !x_valid_q[g%XPorts];
    end else begin : gen_x_early
      logic [W-1:0] held_q, n_held_q;
      always_ff @(posedge clk_i) begin
        if (32'(arriving_slot_q) == g / XPorts) begin
          held_q   <= x_valid_q[g%XPorts] ? x_data_i[g%XPorts] : '0;
          n_held_q <= x_valid_q[g%XPorts] ? n_data_i[g%XPorts] : '0;
        end
      end
      assign x = held_q;
      assign n = n_held_q;
      assign x_zero = 1'b0;
    end
    if (g / Readers == ReadSlots - 1) begin : gen_t_now
      assign t = t_data_i[g%Readers];
      assign t_zero = !arriving_q;
    end else begin : gen_t_early
      logic [W-1:0] held_q;
      always_ff @(posedge clk_i) begin
        if (32'(arriving_slot_q) == g / Readers) held_q <= t_data_i[g%Readers];
      end
      assign t = held_q;
      assign t_zero = 1'b0;
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        x_q[g]       <= '0;
        n_words_q[g] <= '0;
        t_q[g]       <= '0;
      end else if (gathered) begin
        x_q[g]       <= x_zero ? '0 : x;
        n_words_q[g] <= x_zero ? '0 : n;
        t_q[g]       <= t_zero ? '0 : t;
      end
    end
  end

  // ---- The rows
  logic [Group-1:0][W-1:0] result;
  logic                    step_start, compute;

  assign step_start = active_q && slot_q == '0;
  delay #(.Width(1), .Cycles(ReadSlots + 1 + Pad)) u_compute (.clk_i, .d_i(step_start), .q_o(compute));

  if (Design == RowChain) begin : gen_chain
    logic first, loaded, lap;
    logic loading_q;
    delay #(.Width(1), .Cycles(2 - Fold)) u_first (.clk_i, .d_i(first_q && step_start), .q_o(first));
    assign lap = Fold == 2 ? slot_q[0] : 1'b0;
    row_chain #(.W(W), .Rows(Rows), .Fold(Fold), .Stages(Stages), .Multiplier(Multiplier)) u_chain (
      .clk_i, .rst_ni, .y_valid_i, .y_i, .first_i(first), .lap_i(lap), .x_i(x_q[0]), .t_i(t_q[0]), .t_o(result[0]),
      .loaded_o(loaded)
    );
    always_ff @(posedge clk_i) begin
      if (!rst_ni) loading_q <= 1'b0;
      else if (start) loading_q <= 1'b1;
      else if (loaded) loading_q <= 1'b0;
    end
    assign y_ready_o = !loading_q;
    assign free = (!active_q || last_step) && !loading_q;
    logic unused;
    assign unused = ^n_words_q ^ compute;
  end else begin : gen_step
    localparam int unsigned Multipliers = Design == Cios ? 1 : 2;
    logic [1:0][W-1:0] y_q;  // the word shifted in last is y_q[1] where there are two
    always_ff @(posedge clk_i) begin
      if (y_valid_i) begin
        y_q[Multipliers-1] <= y_i;
        y_q[2-Multipliers] <= Multipliers == 1 ? y_i : y_q[1];
      end
    end
    if (Design == Cios) begin : gen_cios
      cios_step #(.W(W), .Group(Group), .Multiplier(Multiplier)) u_step (
        .clk_i, .rst_ni, .valid_i(compute), .y_i(y_q[0]), .x_i(x_q), .t_i(t_q), .t_o(result)
      );
      logic unused;
      assign unused = ^n_words_q ^ (^y_q[1]);
    end else if (Design == TwoRow) begin : gen_two
      two_row_step #(.W(W), .Group(Group), .Multiplier(Multiplier)) u_step (
        .clk_i, .rst_ni, .valid_i(compute), .y_i(y_q), .x_i(x_q), .t_i(t_q), .t_o(result)
      );
      logic unused;
      assign unused = ^n_words_q;
    end else begin : gen_fios
      fios_step #(.W(W), .Group(Group), .Multiplier(Multiplier)) u_step (
        .clk_i, .rst_ni, .valid_i(compute), .y_i(y_q[0]), .m_i(y_q[1]), .x_i(x_q), .n_i(n_words_q), .t_i(t_q),
        .t_o(result)
      );
    end
    assign y_ready_o = !busy_o;
    assign free = !busy_o;
  end

  // ---- Writes
  logic              soon, soon_first, soon_last;  // a cycle before a step's first write
  logic [SlotW-1:0]  write_slot_q;
  logic              write_q, last_q, write_end, write_now;
  logic [1:0]        passes_q;                     // begun and not all written

  delay #(.Width(3), .Cycles(WriteAt - 1)) u_soon (
    .clk_i, .d_i({step_start, first_q && step_start, last_step && step_start}), .q_o({soon, soon_first, soon_last})
  );
  assign write_end = 32'(write_slot_q) == WriteSlots - 1;
  assign done_o = write_q && last_q && write_end;
  assign busy_o = passes_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q  <= 1'b0;
      passes_q <= '0;
    end else begin
      if (soon) write_q <= 1'b1;
      else if (write_end) write_q <= 1'b0;
      passes_q <= passes_q + 2'(start) - 2'(done_o);
    end
  end
  always_ff @(posedge clk_i) begin
    if (soon) last_q <= soon_last;
    write_slot_q <= soon ? '0 : write_slot_q + 1'b1;
    if (soon && soon_first) write_address_q <= base_q - TAw'(OutBehind);
    else if (write_q) write_address_q <= write_address_q + TAw'(Writers);
  end

  if (OutBehind == 0) begin : gen_write_all
    assign write_now = write_q;
    for (genvar p = 0; p < Writers; p++) begin : gen_port
      assign writing[TPorts-1-p] = write_now;
    end
  end else begin : gen_write_inside
    logic [1:0] early_q;  // words of the first steps that lie below the operand
    always_ff @(posedge clk_i) begin
      if (soon && soon_first) early_q <= 2'(OutBehind);
      else if (write_q && early_q != '0) early_q <= 32'(early_q) > Writers ? early_q - 2'(Writers) : '0;
    end
    assign write_now = write_q;
    for (genvar p = 0; p < Writers; p++) begin : gen_port
      if (p < OutBehind) begin : gen_later
        assign writing[TPorts-Writers+p] = write_now && early_q <= 2'(p);
      end else begin : gen_always
        assign writing[TPorts-Writers+p] = write_now;
      end
    end
  end
  if (TPorts > 1) begin : gen_no_write
    assign writing[Readers-1:0] = '0;
  end

  for (genvar p = 0; p < TPorts; p++) begin : gen_t_data
    if (p < TPorts - Writers) begin : gen_none
      assign t_data_o[p] = '0;
    end else begin : gen_words
      logic [WriteSlots-1:0][W-1:0] words;
      for (genvar s = 0; s < WriteSlots; s++) begin : gen_slot
        assign words[s] = result[s*Writers+p-(TPorts-Writers)];
      end
      if (WriteSlots == 1) begin : gen_one
        assign t_data_o[p] = words[0];
      end else begin : gen_choose
        assign t_data_o[p] = words[write_slot_q[$clog2(WriteSlots)-1:0]];
      end
    end
  end

endmodule
