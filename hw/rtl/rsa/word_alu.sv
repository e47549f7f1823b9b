// The word ALU: numbers go word by word through one adder, acc or d <- x +- y; x is the accumulator, its double or a
// W-th part, y and d are any other place of the core (rsa_pkg). This is all of the arithmetic that `mont` does not do.
//
// A *pass* takes `last_i`+1 words, one a cycle, and is done `times_i` times (2x + y again and again: a shift-and-add
// multiplication, a division, or R^2). Whether y is added, subtracted or left out is decided between passes, by the
// sign of the number before or a bit of the scale factor, and costs no time: cycles depend on lengths alone.
//
//   cycle          0    1    2    3    4    5    6    7    8
//   start_i        1
//   index_q             0    1    2 ...                         a word is sent on its way (stream: when there is one)
//   addresses                0    1    2
//   x, y from memory                             0    1    2    HostReadLatency after the address
//   sum_q                                             -    0 .. two more: the operands, the sum; then it is written
//   busy_o              1                                       until the last word of the last pass is written
//
// Numbers in the accumulator are in two's complement, the sign in the top bit of the last word; `negative_o` is that
// bit, `zero_o` says that all words of the last pass were zero.
//
// Words that `mont` has not written: its results have one word less than a pass, so the last y from its memory is taken
// as zero; and so is the last x of x / 2^W.
module word_alu
  import rsa_pkg::*;
  import mont_pkg::host_address_t;
#(
  parameter int unsigned W                = 18,
  parameter int unsigned AccumulatorWords = 256,  // a power of two
  parameter int unsigned IndexWidth       = 14,   // of the longest memory
  parameter int unsigned SlotAddressWidth = 13,
  parameter int unsigned OutputRoom       = 16
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
  output logic                        in_pop_o,
  input  logic [W-1:0]                in_word_i,
  output logic                        in_first_o,      // the word popped is the lowest of its number
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

  logic sending_q, go, gate, last_now, pass_done, again;
  logic [IndexWidth-1:0] index_q;
  logic [12:0] times_q;
  logic [CreditWidth-1:0] credit_q;
  word_t word;

  assign gate = (pass_i.y != SpaceStream || in_valid_i) && (pass_i.d != SpaceStream || credit_q != '0);
  assign go = sending_q && gate && !abort_i;
  assign last_now = index_q == last_i;
  assign in_pop_o = go && pass_i.y == SpaceStream;
  assign in_first_o = index_q == '0;
  assign word = '{
    valid: go, first: index_q == '0, last: last_now,
    one: (pass_i.y == SpaceUnit && index_q == '0) || (pass_i.y == SpacePower && index_q == power_index_i)
  };

  logic stopping_q;
  word_t late, x_flags_q;
  /* verilator lint_off UNUSEDSIGNAL */ // .first and .one have done their work
  word_t sum_flags_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [ReadCycles+1:0] under_way_q;  // words sent and not yet written
  assign pass_done = sum_flags_q.valid && sum_flags_q.last;
  assign again = pass_done && times_q != '0 && !stopping_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sending_q   <= 1'b0;
      busy_o      <= 1'b0;
      stopping_q  <= 1'b0;
      index_q     <= '0;
      times_q     <= '0;
      credit_q    <= CreditWidth'(OutputRoom);
      under_way_q <= '0;
    end else begin
      under_way_q <= {under_way_q[ReadCycles:0], go};
      credit_q    <= credit_q - CreditWidth'(go && pass_i.d == SpaceStream) + CreditWidth'(out_taken_i);
      stopping_q  <= busy_o && (stopping_q || abort_i);
      if (start_i || again) begin
        sending_q <= !abort_i;
        index_q   <= '0;
        times_q   <= start_i ? times_i - 13'd1 : times_q - 13'd1;
      end else if (go) begin
        index_q   <= index_q + IndexWidth'(1);
        sending_q <= !last_now;
      end else if (abort_i) begin
        sending_q <= 1'b0;
      end
      if (start_i) busy_o <= 1'b1;
      else if ((pass_done && !again) || (stopping_q && under_way_q == '0)) busy_o <= 1'b0;
    end
  end

  // ---- Reading
  logic [AccumulatorWidth-1:0] read_address_q, write_address;
  logic [W-1:0] accumulator_word, accumulator_late, slot_late, stream_late;
  always_ff @(posedge clk_i) begin
    read_address_q      <= index_q[AccumulatorWidth-1:0] + AccumulatorWidth'(pass_i.x == XDown);
    slot_read_address_o <= slot_read_i + SlotAddressWidth'(index_q);
    host_read_o.modulus <= pass_i.y == SpaceModulus;
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
  delay #(.Width(W), .Cycles(ReadCycles)) u_stream_late (.clk_i, .d_i(in_word_i), .q_o(stream_late));

  word_t flags_line_q[ReadCycles];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < ReadCycles; i++) flags_line_q[i] <= '0;
    end else begin
      flags_line_q[0] <= word;
      for (int unsigned i = 1; i < ReadCycles; i++) flags_line_q[i] <= flags_line_q[i-1];
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
    unique case (pass_i.y)
      SpaceSlot:    y_now = slot_late;
      SpaceOperand, SpaceModulus: y_now = late.last ? '0 : host_read_data_i;
      SpaceStream:  y_now = stream_late;
      default:      y_now = W'(late.one);
    endcase
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
  logic [IndexWidth-1:0] sum_index_q;
  logic not_zero_q;
  assign write_data_o = sum_q;
  assign write_address = sum_index_q[AccumulatorWidth-1:0];
  assign accumulator_write = sum_flags_q.valid && pass_i.keep;
  assign slot_write_enable_o = sum_flags_q.valid && pass_i.d == SpaceSlot;
  assign slot_write_address_o = slot_write_i + SlotAddressWidth'(sum_index_q);
  assign host_write_enable_o = sum_flags_q.valid && (pass_i.d == SpaceOperand || pass_i.d == SpaceModulus);
  assign host_write_o.modulus = pass_i.d == SpaceModulus;
  assign host_write_o.word = host_write_i + mont_pkg::AddressWidth'(sum_index_q);
  assign out_valid_o = sum_flags_q.valid && pass_i.d == SpaceStream;
  assign scale_next_o = pass_done && pass_i.sign == SignByScale;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      x_flags_q   <= '0;
      sum_flags_q <= '0;
      sum_index_q <= '0;
      negative_o  <= 1'b0;
      zero_o      <= 1'b0;
      not_zero_q  <= 1'b0;
    end else begin
      x_flags_q   <= late;
      sum_flags_q <= x_flags_q;
      if (start_i) sum_index_q <= '0;
      if (sum_flags_q.valid) begin
        sum_index_q <= sum_flags_q.last ? '0 : sum_index_q + IndexWidth'(1);
        not_zero_q  <= !sum_flags_q.last && (not_zero_q || sum_q != '0);
        if (sum_flags_q.last) begin
          negative_o <= sum_q[W-1];
          zero_o     <= !(not_zero_q || sum_q != '0);
        end
      end
    end
  end

endmodule
