// SPDX-License-Identifier: Apache-2.0
// Montgomery multiplication by an array of rows, with its own memory: d = a * b / R mod n, two moduli at a time.
//
// Algorithm. Orup's scaled modulus: N~ = n * (-n^-1 mod 2^W) is a multiple of n and -1 mod 2^W, so the quotient digit
// is the low word itself. Row i adds a[i]*b and a quotient digit times Nb = (N~ + 1) / 2^W and drops a word; `Rows`
// rows make a pass, `passes` passes an operation; between passes the partial sum waits in memory. The passes of two
// contexts alternate (CRT halves): while one waits for its sum to come round, the other has the rows.
//
//   R = 2^(W*Rows*passes);   a, b < 2*N~  gives  d = a*b/R mod n, d < 2*N~       (R > 4*N~: no final subtraction)
//
// Cycles of an operation: passes * words when both contexts are busy and 2*words >= PassCycles, or one is and
// words >= PassCycles = Rows*HopCycles + 11; else passes * PassCycles (a context). Always the same for the same sizes.
//
// One multiplication alone, of 512 bits: W = 18, Rows = 15, HopCycles = 5; so words = 30, passes = 2, PassCycles = 86:
//
//   cycle              0   1   2  ..  12  ..  41  ..  94  ..  98  .. 123  .. 127  .. 180  .. 209  .. 217
//   op_valid_i         1   0   0
//   op_ready_o[ctx]    1   0   1                                              a third would wait for the first
//   busy_o             0   1   1  ..   1  ..   1  ..   1  ..   1  ..   1  ..   1  ..   1  ..   1  ..   0
//   row 0                             w0  ..  w29             w0  ..  ..  .. w29        words of pass 1, of pass 2
//   partial sum                                       t0  ..  ..  .. t29                into its memory
//   result                                                                            d0  .. d29  into operand memory
//
// In cycles 42 .. 97 row 0 is free for the other context.
//
// A word through the host port; host_write_enable_i in cycle 0 writes, and an operation given in cycle 1 uses the word:
//
//   cycle               0    1    2    3    4
//   host_read_i         A
//   host_read_data_o                        M[A]
//
// Contract    `op_i` is taken when op_valid_i && op_ready_o[op_i.ctx]. Operations of a context are done in order, each
//             may use the result of the one before; those of different contexts in any order. All of them have the
//             sizes `config_i`, which is static while busy_o. busy_o is high from the cycle after an operation is taken
//             until all results are stored.
//             n odd; a, b < 2*N~ (a may be longer, of `digits` words, where a*b < R*N~); then d < 2*N~, in `words`
//             words.
//             Host port, while busy_o is low: words of the operand memory and of Nb (low word first, `words` words
//             each) are read (every cycle, data HostReadLatency later) and written. While busy_o is high nothing is
//             written and reads give anything. A read given in the cycle after a write sees it; in the same cycle, it
//             must not be of the same word.
//             Reset: operations under way are forgotten, nothing more is written; the memories are not reset. busy_o
//             falls a cycle after it.
// Sources     Orup, ARITH-12, 1995 (scaled modulus); Suzuki, CHES 2007 (rows of DSP cells); Walter 1999 (R > 4n).
module mont
  import mont_pkg::*;
#(
  parameter int unsigned W            = 18,    // at most what the family's multiplier has: 18 ECP5, 17 Xilinx 7
  parameter int unsigned Rows         = 15,    // two multipliers each
  parameter int unsigned HopCycles    = 5,     // see mont_row
  parameter int unsigned OperandWords = 8192,  // of the operand memory, a power of two
  parameter int unsigned ModulusWords = 512    // of each context, a power of two: the longest operand
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  config_t       config_i,
  input  logic          op_valid_i,
  output logic [1:0]    op_ready_o,
  input  op_t           op_i,
  output logic          busy_o,
  input  host_address_t host_read_i,
  output logic [W-1:0]  host_read_data_o,
  input  logic          host_write_enable_i,
  input  host_address_t host_write_i,
  input  logic [W-1:0]  host_write_data_i
);

  localparam int unsigned ProductCycles = 4;  // see mont_row
  // Word 0 of a slot: address in cycle 2 after go, flags at row 0 in cycle 5, out of row Rows-1 Rows*C + L+2 later,
  // written in the cycle after; a pass that starts PassCycles later reads it one cycle after that.
  localparam int unsigned PassCycles = Rows * HopCycles + ProductCycles + 7;
  localparam int unsigned OperandAddressWidth = $clog2(OperandWords);
  localparam int unsigned ModulusIndexWidth = $clog2(ModulusWords);
  if (W < 2) begin : gen_bad_width
    $fatal(1, "mont: W must be at least 2");
  end
  if (Rows < 1) begin : gen_bad_rows
    $fatal(1, "mont: Rows must be at least 1");
  end
  if (OperandWords < 4 || OperandAddressWidth > AddressWidth || OperandWords != 1 << OperandAddressWidth)
  begin : gen_bad_operand_words
    $fatal(1, "mont: OperandWords must be a power of two, 4 to 8192");
  end
  if (ModulusWords < 2 || ModulusIndexWidth > IndexWidth || ModulusWords != 1 << ModulusIndexWidth)
  begin : gen_bad_modulus_words
    $fatal(1, "mont: ModulusWords must be a power of two, 2 to 512");
  end
  typedef logic [OperandAddressWidth-1:0] operand_address_t;
  typedef logic [ModulusIndexWidth:0] modulus_address_t;  // {ctx, index}

  // ---- Sequence: cycle 1 of each slot
  slot_t slot_1;
  logic resume_1, a_valid_1, working;
  /* verilator lint_off UNUSEDSIGNAL */ // the top bits, where the memories are smaller than the largest
  logic [IndexWidth-1:0] index_1;
  logic [AddressWidth-1:0] a_address_1, b_address_1, d_address[2];
  /* verilator lint_on UNUSEDSIGNAL */
  mont_sequencer #(
    .Rows(Rows), .PassCycles(PassCycles), .DrainCycles(PassCycles + 4)
  ) u_sequencer (
    .clk_i, .rst_ni, .config_i, .op_valid_i, .op_ready_o, .op_i,
    .slot_o(slot_1), .resume_o(resume_1), .index_o(index_1), .a_address_o(a_address_1), .a_valid_o(a_valid_1),
    .b_address_o(b_address_1), .d_address_o(d_address), .busy_o(working)
  );

  // ---- Addresses: cycle 2 (the Nb address ProductCycles+3 later, that of t ProductCycles+2)
  logic host_q;  // the host port has the memories
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) host_q <= 1'b0;
    else host_q <= !working;
  end
  assign busy_o = working || !host_q;
  operand_address_t a_address_q, b_address_q;
  modulus_address_t t_address, n_address_late, n_address_q, here_q;
  slot_t slot_2;
  logic a_valid_2, resume_2;
  always_ff @(posedge clk_i) begin
    a_address_q <= operand_address_t'(a_address_1);
    b_address_q <= operand_address_t'(host_q ? host_read_i.word : b_address_1);
    here_q      <= {slot_1.ctx, index_1[ModulusIndexWidth-1:0]};
    a_valid_2   <= a_valid_1;
    resume_2    <= resume_1;
    n_address_q <= host_q ? {host_read_i.word[IndexWidth], host_read_i.word[ModulusIndexWidth-1:0]} : n_address_late;
  end
  slot_delay #(.Cycles(1)) u_slot_2 (.clk_i, .rst_ni, .slot_i(slot_1), .slot_o(slot_2));

  logic t_valid, n_valid;
  delay #(.Width(ModulusIndexWidth + 2), .Cycles(ProductCycles + 2)) u_t_address (
    .clk_i, .d_i({slot_2.valid & resume_2, here_q}), .q_o({t_valid, t_address})
  );
  delay #(.Width(ModulusIndexWidth + 2), .Cycles(ProductCycles + 2)) u_n_address (
    .clk_i, .d_i({slot_2.valid, here_q}), .q_o({n_valid, n_address_late})
  );

  // ---- Memories: words leave in cycle 4; a is at row 0 in cycle 5, b in cycle 6
  logic [W-1:0] a_word, b_word, n_word, t_word, write_data_q;
  logic operand_write_q, modulus_write_q, sum_write_q;
  operand_address_t operand_write_address_q;
  modulus_address_t modulus_write_address_q;
  ram #(.Width(W), .Depth(OperandWords)) u_operand_a (
    .clk_i, .write_enable_i(operand_write_q), .write_address_i(operand_write_address_q), .write_data_i(write_data_q),
    .read_address_i(a_address_q), .read_data_o(a_word)
  );
  ram #(.Width(W), .Depth(OperandWords)) u_operand_b (
    .clk_i, .write_enable_i(operand_write_q), .write_address_i(operand_write_address_q), .write_data_i(write_data_q),
    .read_address_i(b_address_q), .read_data_o(b_word)
  );
  ram #(.Width(W), .Depth(2 * ModulusWords)) u_modulus (
    .clk_i, .write_enable_i(modulus_write_q), .write_address_i(modulus_write_address_q), .write_data_i(write_data_q),
    .read_address_i(n_address_q), .read_data_o(n_word)
  );
  ram #(.Width(W), .Depth(2 * ModulusWords)) u_sum (
    .clk_i, .write_enable_i(sum_write_q), .write_address_i(modulus_write_address_q), .write_data_i(write_data_q),
    .read_address_i(t_address), .read_data_o(t_word)
  );

  slot_t slot_4, slot_5;
  logic a_valid_4, t_valid_late, n_valid_late;
  slot_delay #(.Cycles(2)) u_slot_4 (.clk_i, .rst_ni, .slot_i(slot_2), .slot_o(slot_4));
  slot_delay #(.Cycles(1)) u_slot_5 (.clk_i, .rst_ni, .slot_i(slot_4), .slot_o(slot_5));
  delay #(.Width(2), .Cycles(2)) u_valid (
    .clk_i, .d_i({a_valid_2, t_valid}), .q_o({a_valid_4, t_valid_late})
  );
  delay #(.Width(1), .Cycles(3)) u_n_valid (.clk_i, .d_i(n_valid), .q_o(n_valid_late));
  logic [W-1:0] a_q, b_q, b_late_q, t_q, n_q, host_data_q;
  logic host_modulus_late;
  delay #(.Width(1), .Cycles(3)) u_host_modulus (.clk_i, .d_i(host_read_i.modulus), .q_o(host_modulus_late));
  always_ff @(posedge clk_i) begin
    a_q         <= a_valid_4 ? a_word : '0;
    b_q         <= slot_4.valid ? b_word : '0;
    b_late_q    <= b_q;
    t_q         <= t_valid_late ? t_word : '0;
    n_q         <= n_valid_late ? n_word : '0;
    host_data_q <= host_modulus_late ? n_word : b_word;
  end
  assign host_read_data_o = host_data_q;

  // ---- Rows
  /* verilator lint_off UNUSEDSIGNAL */ // some flags have done their work
  slot_t slot_early, slot_out;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [W-1:0] o;
  mont_array #(.W(W), .Rows(Rows), .HopCycles(HopCycles)) u_array (
    .clk_i, .rst_ni, .slot_i(slot_5), .a_i(a_q), .b_i(b_late_q), .t_i(t_q), .n_i(n_q),
    .slot_early_o(slot_early), .slot_o(slot_out), .o_o(o)
  );

  // ---- Back to memory: the partial sum, or the result into both copies of the operand memory; or what the host writes
  operand_address_t d_now_q;
  logic [ModulusIndexWidth-1:0] index_now_q;
  always_ff @(posedge clk_i) begin
    d_now_q                 <= slot_early.first ? operand_address_t'(d_address[slot_early.ctx])
                               : d_now_q + operand_address_t'(1);
    index_now_q             <= slot_early.first ? '0 : index_now_q + ModulusIndexWidth'(1);
    write_data_q            <= host_q ? host_write_data_i : o;
    operand_write_address_q <= host_q ? operand_address_t'(host_write_i.word) : d_now_q;
    modulus_write_address_q <= host_q ? {host_write_i.word[IndexWidth], host_write_i.word[ModulusIndexWidth-1:0]}
                                      : {slot_out.ctx, index_now_q};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      operand_write_q <= 1'b0;
      modulus_write_q <= 1'b0;
      sum_write_q     <= 1'b0;
    end else begin
      operand_write_q <= host_q ? host_write_enable_i && !host_write_i.modulus : slot_out.valid && slot_out.store;
      modulus_write_q <= host_q && host_write_enable_i && host_write_i.modulus;
      sum_write_q     <= slot_out.valid;
    end
  end

endmodule
