// SPDX-License-Identifier: Apache-2.0
// The word ALU: numbers go word by word through one adder, acc or d <- x +- y; x is the accumulator, its double or a
// W-th part, y and d are any other place of the core (rsa_pkg). This is all of the arithmetic that `mont` does not do.
//
// A *pass* takes `last_i`+1 words, one a cycle, and is done `times_i` times (2x + y again and again: a shift-and-add
// multiplication, a division, or R^2). Whether y is added, subtracted or left out is decided between passes, by the
// sign of the number before or a bit of the scale factor, and costs no time.
//
//   cycle          0    1    2    3    4    5    6    7    8    9
//   start_i        1
//   index_q                  0    1    2 ...                      a word is sent on its way (stream: when there is one)
//   addresses                     0    1    2
//   x, y from memory                                  0    1    2 HostReadLatency after the address
//   sum_q                                                  -    0 two more: the operands, the sum; it is written
//   busy_o              1                                         until the last word of the last pass is written
//
// Contract    start_i (a pulse) comes while busy_o is low; pass_i and what follows it hold from then until busy_o
//             falls. last_i >= 1, times_i >= 1; a pass of more than AccumulatorWords words writes the accumulator round
//             and round. Cycles depend on lengths alone, where no stream stalls.
//             Numbers in the accumulator are in two's complement, the sign in the top bit of the last word: the caller
//             sees to it that sums fit. `negative_o` is that bit; `zero_o` says, a cycle later, that all words of the
//             last pass were zero. Both hold until the next pass ends.
//             Words that `mont` has not written: its results have one word less than a pass, so the last y from its
//             memory is taken as zero; and so is the last x of x / 2^W.
//             Exactly last_i+1 words are taken from the in stream. Words to the out stream never wait: at most
//             OutputRoom of them have not been taken.
//             Reset: idle, nothing more is written; the accumulator's words are not reset.
module word_alu
  import rsa_pkg::*;
  import mont_pkg::host_address_t;
#(
  parameter int unsigned W                = 18,
  parameter int unsigned AccumulatorWords = 256,  // a power of two
  parameter int unsigned IndexWidth       = 14,   // of the longest memory
  parameter int unsigned SlotAddressWidth = 13,
  parameter int unsigned OutputRoom       = 16   // at least 3: with fewer no word is ever sent
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        start_i,
  input  logic                        abort_i,         // send no more words; busy_o falls when those under way are done
  input  pass_t                       pass_i,          // this and the following: static while busy_o
  input  logic [IndexWidth-1:0]       last_i,
  input  logic [12:0]                 times_i,
  input  logic [IndexWidth-1:0]       power_index_i,   // the word of SpacePower that is 1
  input  logic [SlotAddressWidth-1:0] slot_read_i,     // addresses of word 0
  input  logic [SlotAddressWidth-1:0] slot_write_i,
  input  logic [mont_pkg::AddressWidth-1:0] host_read_i,
  input  logic [mont_pkg::AddressWidth-1:0] host_write_i,
  input  logic                        scale_bit_i,
  output logic                        scale_next_o,
  output logic                        busy_o,
  output logic                        negative_o,
  output logic                        zero_o,
  // the key memory (data two cycles after the address)
  output logic [SlotAddressWidth-1:0] slot_read_address_o,
  input  logic [W-1:0]                slot_read_data_i,
  output logic                        slot_write_enable_o,
  output logic [SlotAddressWidth-1:0] slot_write_address_o,
  // the host port of mont
  output host_address_t               host_read_o,
  input  logic [W-1:0]                host_read_data_i,
  output logic                        host_write_enable_o,
  output host_address_t               host_write_o,
  // streams
  input  logic                        in_valid_i,
  output logic                        in_ready_o,
  input  logic [W-1:0]                in_word_i,
  output logic                        in_first_o,      // the word taken is the lowest of its number
  output logic                        out_valid_o,
  input  logic                        out_taken_i,     // a word has left the queue
  // written to all of the above
  output logic [W-1:0]                write_data_o
);

  localparam int unsigned RamLatency = 2;
  localparam int unsigned ReadCycles = mont_pkg::HostReadLatency + 1;  // from index_q to data
  localparam int unsigned AccumulatorWidth = $clog2(AccumulatorWords);
  localparam int unsigned CreditWidth = $clog2(OutputRoom + 1);
  if (AccumulatorWords != 1 << AccumulatorWidth || AccumulatorWords < 16) begin : gen_bad_words
    $fatal(1, "word_alu: AccumulatorWords must be a power of two, at least 16");
  end

  // ---- Sending words
  typedef struct packed {
    logic valid;
    logic first;
    logic last;
    logic one;  // y is 1 here (SpaceUnit, SpacePower)
  } word_t;

  // What the pass is, decoded while start_q waits
  logic y_slot_q, y_host_q, y_stream_q, y_unit_q, y_power_q, y_modulus_q, x_down_q;
  logic d_slot_q, d_host_q, d_stream_q, d_modulus_q, by_scale_q, keep_q;
  always_ff @(posedge clk_i) begin
    x_down_q    <= pass_i.x == XDown;
    y_slot_q    <= pass_i.y == SpaceSlot;
    y_host_q    <= pass_i.y == SpaceOperand || pass_i.y == SpaceModulus;
    y_modulus_q <= pass_i.y == SpaceModulus;
    y_stream_q  <= pass_i.y == SpaceStream;
    y_unit_q    <= pass_i.y == SpaceUnit;
    y_power_q   <= pass_i.y == SpacePower;
    d_slot_q    <= pass_i.d == SpaceSlot;
    d_host_q    <= pass_i.d == SpaceOperand || pass_i.d == SpaceModulus;
    d_modulus_q <= pass_i.d == SpaceModulus;
    d_stream_q  <= pass_i.d == SpaceStream;
    by_scale_q  <= pass_i.sign == SignByScale;
    keep_q      <= pass_i.keep;
  end

  logic start_q, abort_q, sending_q, able, go, again;
  logic first_q, last_q;                // of the word that `index_q` names
  logic [IndexWidth-1:0] index_q;
  logic [IndexWidth:0] left_q, less_q;  // words behind the next one; negative: the next one is the last
  logic [12:0] times_q;
  logic more_q;                         // times_q is more than one
  logic [CreditWidth-1:0] credit_q;
  logic sent_q, taken_q, full_q;        // a word was sent to the out stream; one was taken; no more for now
  word_t word;

  logic in_there_q;                     // a word of the in stream waits here
  logic [W-1:0] in_word_q;
  assign in_ready_o = !in_there_q && sending_q && y_stream_q;
  assign in_first_o = first_q;
  always_ff @(posedge clk_i) begin
    if (!in_there_q) in_word_q <= in_word_i;
  end

  assign able = (in_there_q || !y_stream_q) && !full_q;
  assign go = sending_q && able;
  assign word = '{valid: go, first: first_q, last: last_q, one: y_unit_q && first_q};

  logic stopping_q;
  word_t late;
  /* verilator lint_off UNUSEDSIGNAL */ // .first and .one have done their work
  word_t x_flags_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic pass_done_q;                    // the last word is being written
  logic [ReadCycles+1:0] under_way_q;   // words sent and not yet written
  assign again = pass_done_q && more_q && !stopping_q;

  always_ff @(posedge clk_i) begin
    less_q <= {1'b0, last_i} - (IndexWidth+1)'(2);
    more_q <= times_q[12:1] != '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q     <= 1'b0;
      abort_q     <= 1'b0;
      sending_q   <= 1'b0;
      busy_o      <= 1'b0;
      stopping_q  <= 1'b0;
      index_q     <= '0;
      left_q      <= '0;
      first_q     <= 1'b0;
      last_q      <= 1'b0;
      times_q     <= '0;
      credit_q    <= CreditWidth'(OutputRoom);
      sent_q      <= 1'b0;
      taken_q     <= 1'b0;
      in_there_q  <= 1'b0;
      full_q      <= 1'b0;
      under_way_q <= '0;
    end else begin
      start_q     <= start_i;
      abort_q     <= abort_i;
      under_way_q <= {under_way_q[ReadCycles:0], go};
      sent_q      <= go && d_stream_q;
      taken_q     <= out_taken_i;
      in_there_q  <= sending_q && (in_there_q ? !go : in_valid_i && y_stream_q);
      credit_q    <= credit_q - CreditWidth'(sent_q) + CreditWidth'(taken_q);
      full_q      <= d_stream_q && credit_q < CreditWidth'(3);  // two more may be on their way
      stopping_q  <= busy_o && (stopping_q || abort_q);
      if (start_q || again) begin
        index_q   <= '0;
        left_q    <= less_q;
        first_q   <= 1'b1;
        last_q    <= 1'b0;
      end else if (able) begin          // also when nothing is sent: it does no harm
        index_q   <= index_q + IndexWidth'(1);
        left_q    <= left_q - (IndexWidth+1)'(1);
        first_q   <= 1'b0;
        last_q    <= left_q[IndexWidth];
      end
      if (abort_q) sending_q <= 1'b0;
      else if (start_q || again) sending_q <= 1'b1;
      else if (go) sending_q <= !last_q;
      if (start_i) times_q <= times_i;
      else if (again) times_q <= times_q - 13'd1;
      if (start_i) busy_o <= 1'b1;
      else if ((pass_done_q && !again) || (stopping_q && under_way_q == '0)) busy_o <= 1'b0;
    end
  end

  // ---- Reading
  logic [AccumulatorWidth-1:0] read_address_q, write_address;
  logic [W-1:0] accumulator_word, accumulator_late, slot_late, stream_late;
  always_ff @(posedge clk_i) begin
    read_address_q      <= index_q[AccumulatorWidth-1:0] + AccumulatorWidth'(x_down_q);
    slot_read_address_o <= slot_read_i + SlotAddressWidth'(index_q);
    host_read_o.modulus <= y_modulus_q;
    host_read_o.word    <= host_read_i + mont_pkg::AddressWidth'(index_q);
  end
  logic accumulator_write;
  ram #(.Width(W), .Depth(AccumulatorWords)) u_accumulator (
    .clk_i, .write_enable_i(accumulator_write), .write_address_i(write_address), .write_data_i(write_data_o),
    .read_address_i(read_address_q), .read_data_o(accumulator_word)
  );
  delay #(.Width(2 * W), .Cycles(ReadCycles - 1 - RamLatency)) u_ram_late (
    .clk_i, .d_i({accumulator_word, slot_read_data_i}), .q_o({accumulator_late, slot_late})
  );
  delay #(.Width(W), .Cycles(ReadCycles)) u_stream_late (.clk_i, .d_i(in_word_q), .q_o(stream_late));

  word_t flags_line_q[ReadCycles];
  logic power_q, y_host_late_q;
  always_ff @(posedge clk_i) begin
    power_q       <= y_power_q && index_q == power_index_i;
    y_host_late_q <= y_host_q && !flags_line_q[ReadCycles-2].last;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < ReadCycles; i++) flags_line_q[i] <= '0;
    end else begin
      flags_line_q[0] <= word;
      for (int unsigned i = 1; i < ReadCycles; i++) flags_line_q[i] <= flags_line_q[i-1];
      flags_line_q[1].one <= flags_line_q[0].one || power_q;
    end
  end
  assign late = flags_line_q[ReadCycles-1];

  // ---- Operands: static choices of the pass, decided between passes
  logic add, invert, plus_one;
  always_comb begin
    unique case (pass_i.sign)
      SignIfNegative: add = negative_o;
      SignByScale:    add = scale_bit_i;
      default:        add = 1'b1;
    endcase
    invert = pass_i.sign == SignMinus || (pass_i.sign == SignTowards && !negative_o);
    plus_one = invert || pass_i.sign == SignPlusOne;
  end
  logic add_q, invert_q, plus_one_q;  // negative_o and scale_bit_i change with the last word: long before the next

  logic [W-1:0] x_now, y_now, x_q, y_q, sum_q;
  logic x_top_q;           // top bit of the x before
  logic carry_q;           // of the sum before; before the first word, the 1 to be added
  always_comb begin
    unique case (pass_i.x)
      XSame:   x_now = accumulator_late;
      XDouble: x_now = {accumulator_late[W-2:0], x_top_q & ~late.first};
      XDown:   x_now = late.last ? '0 : accumulator_late;
      default: x_now = '0;
    endcase
    y_now = (slot_late & {W{y_slot_q}}) | (host_read_data_i & {W{y_host_late_q}}) | (stream_late & {W{y_stream_q}})
            | W'(late.one);
  end

  logic [W:0] sum;
  logic under_way;  // between the first word and the last, also where the stream stalls
  assign sum = {1'b0, x_q} + {1'b0, y_q} + (W+1)'(carry_q);
  always_ff @(posedge clk_i) begin
    add_q      <= add;
    invert_q   <= invert;
    plus_one_q <= plus_one;
    if (late.valid) x_top_q <= accumulator_late[W-1];
    x_q <= x_now;
    y_q <= (y_now & {W{add_q}}) ^ {W{invert_q}};
    if (x_flags_q.valid) sum_q <= sum[W-1:0];
    if (!x_flags_q.valid && !under_way) carry_q <= plus_one_q;
    else if (x_flags_q.valid) carry_q <= sum[W];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) under_way <= 1'b0;
    else if (late.valid) under_way <= !late.last;
    else if (!busy_o) under_way <= 1'b0;
  end

  // ---- Writing
  logic written_q, done_late_q, not_zero_q;
  logic [2:0] some_q;                   // bits of the word before, in three parts
  assign write_data_o = sum_q;
  assign host_write_o.modulus = d_modulus_q;
  assign scale_next_o = pass_done_q && by_scale_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      x_flags_q           <= '0;
      written_q           <= 1'b0;
      pass_done_q         <= 1'b0;
      accumulator_write   <= 1'b0;
      slot_write_enable_o <= 1'b0;
      host_write_enable_o <= 1'b0;
      out_valid_o         <= 1'b0;
      negative_o          <= 1'b0;
      zero_o              <= 1'b0;
      not_zero_q          <= 1'b0;
      some_q              <= '0;
      done_late_q         <= 1'b0;
    end else begin
      x_flags_q           <= late;
      written_q           <= x_flags_q.valid;
      pass_done_q         <= x_flags_q.valid && x_flags_q.last;
      accumulator_write   <= x_flags_q.valid && keep_q;
      slot_write_enable_o <= x_flags_q.valid && d_slot_q;
      host_write_enable_o <= x_flags_q.valid && d_host_q;
      out_valid_o         <= x_flags_q.valid && d_stream_q;
      some_q      <= written_q ? {sum_q[W-1:12] != '0, sum_q[11:6] != '0, sum_q[5:0] != '0} : '0;
      done_late_q <= pass_done_q;
      not_zero_q  <= !done_late_q && (not_zero_q || some_q != '0);
      if (pass_done_q) negative_o <= sum_q[W-1];
      if (done_late_q) zero_o <= !(not_zero_q || some_q != '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_q || pass_done_q) begin
      write_address        <= '0;
      slot_write_address_o <= slot_write_i;
      host_write_o.word    <= host_write_i;
    end else if (written_q) begin
      write_address        <= write_address + AccumulatorWidth'(1);
      slot_write_address_o <= slot_write_address_o + SlotAddressWidth'(1);
      host_write_o.word    <= host_write_o.word + mont_pkg::AddressWidth'(1);
    end
  end

endmodule
