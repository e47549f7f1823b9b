// SPDX-License-Identifier: Apache-2.0
// When which pass of which operation starts, and the addresses of its words.
//
// An operation is `passes` passes; a pass occupies row 0 for a slot of `words` cycles, or of Rows where that is more: so
// long it takes to give every row its digit of a. The passes of the two contexts alternate as long as both have
// operations; one context alone has every slot. A pass can start when row 0 is free and the pass before of its context
// started at least PassCycles ago: so long takes a word from memory through all rows and back into memory. All of this
// depends on sizes and arrival of operations alone, never on operands.
//
//   cycle          0      1      2      3   ...   words-1  words  words+1
//   go_q           1      0      0      0           0        1      0
//   slot_o         -     first   valid  valid      valid    last   first       of the next slot: no cycle between them
//   index_o        -      0      1      2                  words-1   0
//   a_address_o    -     a+k    a+k+1   ...                                    k = Rows * passes done
//   a_valid_o      -      1      1      ...                                    while there are digits of a: k < digits
//   b_address_o    -      b     b+1     ...
//
// The first go_q comes seven cycles after its operation, if nothing is under way. The values of the next slot are
// prepared during this one, in four steps (step_q), so that nothing wide is decided in the cycle in which a slot
// starts; with them a slot has 6 cycles at least.
//
// Contract    An operation is taken when op_valid_i && op_ready_o[op_i.ctx]; two of each context fit, the first of them
//             until its last pass is prepared. They are done in order; a pass reads what the one before of its context,
//             which started PassCycles earlier at least, has written. config_i is static from the first operation on,
//             while busy_o. words >= 2, and passes * Rows <= digits + 1024, or what counts the digits left wraps.
//             d_address_o[ctx] holds until the next pass of its context. busy_o falls when the last result is in memory:
//             DrainCycles are counted from the last slot on.
//             Reset: all operations are forgotten.
module mont_sequencer
  import mont_pkg::*;
#(
  parameter int unsigned Rows       = 15,
  parameter int unsigned PassCycles = 85,
  parameter int unsigned DrainCycles = 90   // from the last word's address to its result in memory, at most
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  config_t                 config_i,
  input  logic                    op_valid_i,
  output logic [1:0]              op_ready_o,  // one each context
  input  op_t                     op_i,
  output slot_t                   slot_o,
  output logic                    resume_o,    // not the first pass of its operation: the partial sum is not zero
  output logic [IndexWidth-1:0]   index_o,
  output logic [AddressWidth-1:0] a_address_o,
  output logic                    a_valid_o,   // low: the digits of a are exhausted, zeros follow
  output logic [AddressWidth-1:0] b_address_o,
  output logic [AddressWidth-1:0] d_address_o[2],  // of each context's pass; from slot_o.first on
  output logic                    busy_o
);

  localparam int unsigned CountWidth = IndexWidth + 2;  // signed: a sign bit is the end of a count
  localparam int unsigned TimeWidth = $clog2(DrainCycles + PassCycles) + 1;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [AddressWidth-1:0] address_t;

  // Sizes, a cycle late: they are static
  count_t words_2_q, slot_3_q, passes_1_q, digits_1_q;
  logic short_q;
  always_ff @(posedge clk_i) begin
    digits_1_q <= count_t'(config_i.digits) - count_t'(1);
    words_2_q  <= count_t'(config_i.words) - count_t'(2);
    short_q    <= 32'(config_i.words) < Rows;
    slot_3_q   <= (short_q ? count_t'(Rows) : count_t'(config_i.words)) - count_t'(3);
    passes_1_q <= count_t'(config_i.passes) - count_t'(1);
  end

  // Operations waiting, two of each context; the head stays until its last pass is prepared
  op_t head[2], behind[2];
  logic [1:0] waiting, behind_valid, behind_ready, pop_q;
  for (genvar x = 0; x < 2; x++) begin : gen_queue
    stage #(.Width($bits(op_t))) u_behind (
      .clk_i, .rst_ni, .in_valid_i(op_valid_i && op_i.ctx == 1'(x)), .in_ready_o(op_ready_o[x]), .in_data_i(op_i),
      .out_valid_o(behind_valid[x]), .out_ready_i(behind_ready[x]), .out_data_o(behind[x])
    );
    stage #(.Width($bits(op_t))) u_head (
      .clk_i, .rst_ni, .in_valid_i(behind_valid[x]), .in_ready_o(behind_ready[x]), .in_data_i(behind[x]),
      .out_valid_o(waiting[x]), .out_ready_i(pop_q[x]), .out_data_o(head[x])
    );
  end

  // Where each context is in its operation
  address_t at_q[2];           // next digit of a
  count_t digits_q[2];         // digits of a left, less one
  count_t left_q[2];           // passes left, less one
  logic [1:0] fresh_q;         // no pass done yet

  // Preparation: 0 choose the context, 1 fetch, 2 compute, 3 keep
  logic [3:0] step_q;
  logic [1:0] keep_q, go_ctx_q;  // step 3 and go_q, of each context: what they enable may lie far away
  logic ready_q, go_q, go_d, ctx_q, chosen;
  logic begins_q;  // the operation of ctx_q has no pass done yet
  address_t a_q, a_next_q, b_q, d_q;
  count_t digits_now_q, digits_next_q, left_now_q, left_next_q;
  logic first_pass_q, last_pass_q;
  assign chosen = waiting[~ctx_q] ? ~ctx_q : ctx_q;

  always_ff @(posedge clk_i) begin
    if (step_q[1]) begin
      a_q          <= begins_q ? head[ctx_q].a : at_q[ctx_q];
      digits_now_q <= begins_q ? digits_1_q : digits_q[ctx_q];
      left_now_q   <= begins_q ? passes_1_q : left_q[ctx_q];
      b_q          <= head[ctx_q].b;
      d_q          <= head[ctx_q].d;
      first_pass_q <= begins_q;
    end
    a_next_q      <= a_q + address_t'(Rows);
    digits_next_q <= digits_now_q - count_t'(Rows);
    left_next_q   <= left_now_q - count_t'(1);
    last_pass_q   <= left_now_q == '0;
    for (int unsigned x = 0; x < 2; x++) begin
      keep_q[x] <= step_q[2] && ctx_q == 1'(x);
      if (keep_q[x]) begin
        at_q[x]     <= a_next_q;
        digits_q[x] <= digits_next_q;
        left_q[x]   <= left_next_q;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q   <= 4'b0001;
      ready_q  <= 1'b0;
      fresh_q  <= 2'b11;
      pop_q    <= '0;
      ctx_q    <= 1'b1;
      begins_q <= 1'b1;
    end else begin
      pop_q <= '0;
      if (step_q[0]) begin
        if (waiting != '0) begin
          ctx_q    <= chosen;
          begins_q <= fresh_q[chosen];
          step_q   <= 4'b0010;
        end
      end else begin
        step_q <= {step_q[2:0], go_d};
      end
      if (step_q[3]) begin
        fresh_q[ctx_q] <= last_pass_q;
        pop_q[ctx_q]   <= last_pass_q;
        ready_q        <= 1'b1;
      end else if (go_d) begin
        ready_q <= 1'b0;
      end
    end
  end

  // Start: row 0 free in this cycle, the context's pass before far enough. The counters start a cycle after go_d; at
  // their end they take away nothing rather than stand still, which would be a clock enable and a long way to it.
  count_t row_0_q;                  // negative: free
  logic [TimeWidth-1:0] rest_q[2];  // negative: the context may start a pass
  logic free, rested_q;
  assign free = row_0_q[CountWidth-1];
  assign go_d = ready_q && free && rested_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      go_q     <= 1'b0;
      rested_q <= 1'b0;
      row_0_q  <= '1;
      go_ctx_q <= '0;
      for (int unsigned x = 0; x < 2; x++) rest_q[x] <= '1;
    end else begin
      go_q     <= go_d;
      rested_q <= rest_q[ctx_q][TimeWidth-1];
      row_0_q  <= go_q ? slot_3_q : row_0_q - count_t'(!free);  // SEC_CM: TIME.PROGRAM
      for (int unsigned x = 0; x < 2; x++) begin
        go_ctx_q[x] <= go_d && ctx_q == 1'(x);
        rest_q[x]   <= go_ctx_q[x] ? TimeWidth'(PassCycles - 4) : rest_q[x] - TimeWidth'(!rest_q[x][TimeWidth-1]);
      end
    end
  end

  // The slot: counters to addresses
  count_t word_q, digit_q;
  logic window_q, first_q, ctx_now_q, store_q;
  always_ff @(posedge clk_i) begin
    if (go_q) begin
      word_q      <= words_2_q;
      digit_q     <= digits_now_q;
      index_o     <= '0;
      a_address_o <= a_q;
      b_address_o <= b_q;
    end else begin
      word_q      <= word_q - count_t'(1);
      digit_q     <= digit_q - count_t'(1);
      index_o     <= index_o + IndexWidth'(1);
      a_address_o <= a_address_o + address_t'(1);
      b_address_o <= b_address_o + address_t'(1);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      window_q  <= 1'b0;
      first_q   <= 1'b0;
      ctx_now_q <= 1'b0;
      store_q   <= 1'b0;
      resume_o  <= 1'b0;
      for (int unsigned x = 0; x < 2; x++) d_address_o[x] <= '0;
    end else begin
      first_q <= go_q;
      if (go_q) begin
        window_q  <= 1'b1;
        ctx_now_q <= ctx_q;
        store_q   <= last_pass_q;
        resume_o  <= !first_pass_q;
      end else if (slot_o.last) begin
        window_q <= 1'b0;
      end
      for (int unsigned x = 0; x < 2; x++) if (go_ctx_q[x]) d_address_o[x] <= d_q;
    end
  end
  assign slot_o = '{valid: window_q, first: first_q, last: window_q & word_q[CountWidth-1], ctx: ctx_now_q,
                    store: store_q};
  assign a_valid_o = !digit_q[CountWidth-1];

  // Busy until the last word is in memory
  logic [TimeWidth-1:0] drain_q;
  logic live_q, here;
  assign here = {waiting, behind_valid} != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      drain_q <= '1;
      live_q  <= 1'b0;
    end else begin
      live_q <= ready_q || go_q || window_q || here || pop_q != '0 || !drain_q[TimeWidth-1];
      drain_q <= window_q ? TimeWidth'(DrainCycles) : drain_q - TimeWidth'(!drain_q[TimeWidth-1]);
    end
  end
  assign busy_o = live_q || here;

endmodule
