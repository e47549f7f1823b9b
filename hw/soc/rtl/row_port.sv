// SPDX-License-Identifier: Apache-2.0
// The peripheral `row` of hw/interface/soc.toml: the two-row unit of Ramesh 2020, with its operands in memories that
// processor and unit both reach. The processor runs the outer loops: two words of b, a pass over a; two quotient
// digits, a pass over n.
//
//   cycle             0    1    2    3  ..  39  ..  43        a pass of 1024 bits
//   access_i.valid    1                                       start, after two words y
//   status bit 0                1    1       1       0
//   x read                      0    1  ..  35                word x[j]; t[j+2] is read beside it, t[j] written later
//
//   firmware: x ... (n, then a); b: y, y, start; t, t; y, y, start | again for each two words of b; take ... (result)
//
// Contract    As `row`, with Words words of 32 bits: shorter operands are zero above. y, start, t and take wait while a
//             pass is under way; x is not written then. `take` leaves a zero, so that t is clear for the next product.
//             An access that waits for a unit that hangs is not answered, and then the bus gives up and cancel_i drops
//             it. Reset: the unit is held in reset until a pass would have drained; memories keep what they have.
//             Faults, for tests alone: hang_i: no pass begins; corrupt_i: the lowest bit of each word read is wrong;
//             silent_i: no access is answered.
// Source      Ramesh 2020, section 4.6 and appendix B.
module row_port
  import soc_pkg::*;
#(
  parameter int unsigned Bits = 1024  // of the longest modulus
) (
  input  logic    clk_i,
  input  logic    rst_ni,
  input  access_t access_i,
  output answer_t answer_o,
  input  logic    cancel_i,
  input  logic    hang_i,
  input  logic    corrupt_i,
  input  logic    silent_i,
  output logic    working_o  // a pass is under way
);

  localparam int unsigned W = 32;
  localparam int unsigned Words = Bits / W;
  localparam int unsigned TWords = 2 * Words + 8;  // as row has it for two rows
  localparam int unsigned XAw = $clog2(Words);
  localparam int unsigned TAw = $clog2(TWords);
  localparam int unsigned Drain = 2 * Words;       // cycles of reset, longer than a pass
  if (Bits % W != 0 || Words != 1 << XAw) begin : gen_bad_bits
    $fatal(1, "row_port: Bits must be a power of two, at least 64");
  end
  typedef logic [XAw:0] x_address_t;  // {n, index}
  typedef logic [TAw-1:0] t_address_t;

  // ---- The access under way
  logic pending_q, write_q;
  logic [13:0] word_q;
  logic [31:0] data_q;
  /* verilator lint_off UNUSEDSIGNAL */ // their other bits are reserved
  row_start_t start;
  row_reset_t reset;
  /* verilator lint_on UNUSEDSIGNAL */
  logic is_y, is_start, is_t, is_take, moved, busy, y_ready, start_ready, running, t_settled_q;
  assign start = data_q;
  assign reset = data_q;
  assign is_y = write_q && word_q == RowY;
  assign is_start = write_q && word_q == RowStart;
  assign is_take = !write_q && word_q == RowTake;
  assign is_t = is_take || (!write_q && word_q == RowT);
  assign moved = pending_q && !silent_i
                 && (is_y ? running && y_ready : is_start ? running && (start_ready || hang_i)
                     : is_t ? !working_o && t_settled_q : 1'b1);

  // ---- The unit
  logic [$clog2(Drain+1)-1:0] drain_q;
  logic reset_q, hung_q, done;
  logic x_read, t_read, t_read_1, t_write, t_write_0;
  x_address_t x_address, x_address_q;
  t_address_t t_read_address, t_write_address, t_address_q;
  logic [W-1:0] x_word, t_word, t_write_data, t_none;
  assign running = drain_q == '0;
  assign working_o = busy || hung_q;
  logic unit_clk;
  clock_gate u_clock (.clk_i, .rst_ni, .run_i(!running || working_o || pending_q), .clk_o(unit_clk));
  row #(.Algorithm(32'(row_pkg::TwoRow)), .W(W), .Ports(3), .Multiplier(multiply_pkg::Operator), .Bits(Bits)) u_row (
    .clk_i(unit_clk), .rst_ni(running), .y_ready_o(y_ready), .y_valid_i(moved && is_y), .y_i(data_q),
    .start_ready_o(start_ready), .start_valid_i(moved && is_start && !hang_i), .start_n_i(start.modulus),
    .start_t_base_i(t_address_t'(start.place)), .busy_o(busy), .done_o(done), .x_read_o(x_read), .x_address_o(x_address),
    .x_data_i(x_word), .n_data_i('0), .t_read_o({t_read_1, t_read}), .t_write_o({t_write, t_write_0}),
    .t_address_o({t_write_address, t_read_address}), .t_data_o({t_write_data, t_none}), .t_data_i({W'(0), t_word})
  );

  // ---- The memories: read and written by the unit during a pass, by the processor between passes
  logic [W-1:0] x_words[2*Words];
  logic [W-1:0] t_words[1<<TAw];
  logic take;
  assign take = moved && is_take;
  always_ff @(posedge unit_clk) begin
    if (moved && write_q && word_q == RowX) x_words[x_address_q] <= data_q;
    x_word <= x_words[x_address];
    if (t_write || take) t_words[t_write ? t_write_address : t_address_q] <= t_write ? t_write_data : '0;
    t_word <= t_words[working_o ? t_read_address : t_address_q];
  end

  logic answer_ready_q, unused;
  logic [31:0] answer_data_q;
  row_status_t status;
  assign status = '{busy: working_o, default: '0};
  assign answer_o = '{ready: answer_ready_q, data: answer_data_q};
  assign unused = x_read ^ t_read ^ t_read_1 ^ t_write_0 ^ (^t_none) ^ done;

  always_ff @(posedge clk_i) begin
    if (access_i.valid) begin
      write_q <= access_i.write;
      word_q  <= access_i.word;
      data_q  <= access_i.data;
    end
    if (moved && write_q && word_q == RowXAddress) x_address_q <= data_q[XAw:0];
    else if (moved && write_q && word_q == RowX) x_address_q <= x_address_q + x_address_t'(1);
    if (moved && write_q && word_q == RowTAddress) t_address_q <= data_q[TAw-1:0];
    else if (moved && is_t) t_address_q <= t_address_q + t_address_t'(1);
    answer_data_q <= is_t ? t_word ^ 32'(corrupt_i) : word_q == RowBuilt ? 32'(Bits) : status;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q      <= 1'b0;
      answer_ready_q <= 1'b0;
      t_settled_q    <= 1'b0;
      reset_q        <= 1'b0;
      hung_q         <= 1'b0;
      drain_q        <= '1;
    end else begin
      if (access_i.valid) pending_q <= 1'b1;
      else if (moved || cancel_i) pending_q <= 1'b0;
      answer_ready_q <= moved;
      t_settled_q <= pending_q && !moved && !working_o;
      if (moved && write_q && word_q == RowReset) reset_q <= reset.hold;
      if (reset_q) drain_q <= ($bits(drain_q))'(Drain);
      else if (!running) drain_q <= drain_q - ($bits(drain_q))'(1);
      // A hanging unit takes the start and never ends.
      if (!running) hung_q <= 1'b0;
      else if (moved && is_start && hang_i) hung_q <= 1'b1;
    end
  end

endmodule
