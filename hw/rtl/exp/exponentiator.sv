// SPDX-License-Identifier: Apache-2.0
// Modular exponentiation as a sequence of Montgomery multiplications, in one context of `mont` or in both in step.
//
// Before: RegionTable holds R mod n, RegionTable+1 the base x*R mod n. After: RegionAccumulator holds x^e*R mod n. The
// exponent's words (W bits, low word first) are read through the port of the key memory.
//
//   SchemeFixedWindow    table x^2..x^(2^w-1); w squarings and one multiplication a digit, digit 0 included; the first
//                        digit is read from the table by the first squaring. The sequence and its times depend on
//                        `bits_i`, `window_i` and `dual_i` alone: use it for secret exponents.
//   SchemeSlidingWindow  odd powers only, no multiplication for zeros    \
//   SchemeLeftToRight    a sliding window of one bit, no table            } time depends on the exponent
//   SchemeRightToLeft    multiply and square, from the lowest bit         /
//
// One digit of a fixed window of 3 bits, not one of the first two; `mont` takes nothing in cycles 6 and 7:
//
//   cycle         0    1    2    3    4    5    6    7    8    9    10   11   12   13   14   15
//   bit taken          1    2    3                                                            next digit from here on
//   op_valid_o    0    0    0    0    0    1    0    1    1    0    1    0    0    1    0    0
//   op_ready_i                             1    0    0    1    1    1    1    1    1    1    1
//   op_o                                   S         S    S         S              M          S: acc*acc, M: acc*table
//
// A word of the exponent is read before the first bit that lies in it: ReadLatency + 7 cycles more. With dual_i context
// 1's operation is offered in the cycle after context 0's is taken: S0 in cycle 5, S1 in cycle 6.
//
// A digit is collected bit by bit while earlier multiplications run: some 2*W cycles at most, less than one of them
// takes.
//
// Contract    start_i (a pulse) comes while busy_o is low. busy_o is high from the next cycle on, until the last
//             operation is taken (not done: see busy_o of `mont`).
//             Operations hold until op_ready_i; each may use the result of the one before of its context. With dual_i
//             (SchemeFixedWindow only) every operation is given to context 0, then 1. The table has 2^window regions of
//             each context from RegionTable on (sliding: the odd ones, and 0).
//             Exponents have bits_i bits; above them their memory may hold anything.
//             abort_i (a pulse): busy_o falls after one more operation at most (of each context); there is no power.
//             W cycles after busy_o has fallen no register holds anything of an exponent, but that which shows what the
//             key memory's port reads.
//             Reset: idle at once.
// Sources     Menezes, van Oorschot, Vanstone, Handbook of Applied Cryptography, 14.6.
module exponentiator
  import exp_pkg::*;
#(
  parameter int unsigned W            = 18,
  parameter int unsigned AddressWidth = 13,  // of the key memory
  parameter int unsigned ReadLatency  = 2    // of the key memory, from address to data
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    start_i,
  input  logic                    abort_i,          // give one more operation at most (in each context)
  input  garner_pkg::scheme_e     scheme_i,         // this and the following: static while busy_o
  input  logic                    dual_i,
  input  logic [2:0]              window_i,         // bits of a digit, 2..5
  input  logic [12:0]             bits_i,           // of the exponent, at least 1
  input  logic [AddressWidth-1:0] exponent_i[2],    // address of each context's exponent
  output logic                    busy_o,
  output logic [AddressWidth-1:0] read_address_o,
  input  logic [W-1:0]            read_data_i,
  output logic                    op_valid_o,
  input  logic                    op_ready_i,
  output region_op_t              op_o
);

  import garner_pkg::SchemeFixedWindow;
  import garner_pkg::SchemeLeftToRight;
  import garner_pkg::SchemeRightToLeft;

  localparam int unsigned CountWidth = $clog2(W + 1) + 1;  // signed: a sign bit is the end of a count
  localparam int unsigned FetchCycles = ReadLatency + 4;
  if (W < 6) begin : gen_bad_width
    $fatal(1, "exponentiator: W must be at least 6");
  end

  typedef enum logic [3:0] {
    StIdle, StAlign, StTable, StNext, StFetch, StSkip, StTake, StOdd, StSquare, StMultiply, StFirst, StRight, StEmit
  } state_e;
  (* fsm_encoding = "one-hot" *)
  state_e state_q;
  state_e after_q;  // where StEmit returns to

  logic [13:0] left_q;                       // bits of the exponent not yet taken, less 2; signed
  logic [13:0] above_q;                      // bits of it above the word that word_q names, less 1; signed
  logic [AddressWidth-1:0] base_q;           // of an exponent
  logic [AddressWidth-1:0] word_q;           // next word of the exponent
  logic [W-1:0] read_q;                      // a word from the key memory, the bit that comes first on top
  logic [W-1:0] key_q[2];                    // the rest of the current word
  logic [1:0] load_q;                        // key_q takes read_q
  logic [CountWidth-1:0] available_q;        // bits in it, less 1
  logic [CountWidth-1:0] skip_q;             // minus the bits in it that are none of the exponent's
  logic [$clog2(FetchCycles+1)-1:0] fetch_q;
  logic [4:0] digit_q[2];
  logic [2:0] taken_q, zeros_q, squarings_q, window_q;
  logic [5:0] power_q;                       // of the table entry to be made
  logic [5:0] entries_q;                     // operations that the table still takes, less 2; signed
  logic fresh_q, started_q, multiply_q;      // fresh_q: no digit begun
  region_t a_q[2], b_q[2], d_q;
  region_t power_in_q[2];                    // where the power so far is, a cycle later than the following say
  logic [4:0] power_digit_q[2];              // first this entry of the table
  logic power_moved_q;                       // then the accumulator
  logic ctx_q, stopping_q;

  logic right_to_left_q, fixed_q;

  logic [1:0] bit_now;
  logic left_none, left_one, available_none, digit_full;
  logic [2:0] squarings_first;
  for (genvar x = 0; x < 2; x++) begin : gen_bit
    assign bit_now[x] = key_q[x][W-1];
  end
  assign left_none = left_q[13] && !left_q[0];
  assign left_one = left_q[13] && left_q[0];
  assign available_none = available_q[CountWidth-1];
  assign digit_full = taken_q + 3'd1 == window_q || left_one;
  assign squarings_first = started_q ? taken_q - zeros_q : '0;

  assign busy_o = state_q != StIdle;
  assign op_valid_o = state_q == StEmit;
  assign op_o = '{ctx: ctx_q, a: a_q[ctx_q], b: b_q[ctx_q], d: d_q};

  // The rest of a word leaves from the top; zeros come in, also while nothing is to be done
  logic shift;
  assign shift = state_q == StIdle || (state_q == StSkip && skip_q[CountWidth-1])  // SEC_CM: ERASE.WORKING_REGISTERS
                 || (state_q == StTake && !available_none);
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < W; i++) read_q[i] <= right_to_left_q ? read_data_i[W-1-i] : read_data_i[i];
    for (int unsigned x = 0; x < 2; x++) begin
      load_q[x] <= state_q == StFetch && 32'(fetch_q) == ReadLatency + 2 + x;
      if (load_q[x] || shift) key_q[x] <= load_q[x] ? read_q : {key_q[x][W-2:0], 1'b0};
    end
    if (state_q == StIdle) available_q <= '1;
    else if (load_q[1]) available_q <= CountWidth'(W - 1);
    else if (shift) available_q <= available_q - CountWidth'(1);
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned x = 0; x < 2; x++) begin
      power_in_q[x] <= power_moved_q ? RegionAccumulator : RegionTable + region_t'(power_digit_q[x]);
    end
    unique case (state_q)
      StIdle: begin
        fixed_q         <= scheme_i == SchemeFixedWindow;
        right_to_left_q <= scheme_i == SchemeRightToLeft;
        left_q      <= {1'b0, bits_i} - 14'd2;
        above_q     <= {1'b0, bits_i} - 14'(W + 1);
        word_q      <= '0;
        skip_q      <= '0;
        power_q     <= 6'd1;
        entries_q   <= scheme_i == SchemeFixedWindow ? (6'd1 << window_i) - 6'd4 : (6'd1 << window_i >> 1) - 6'd2;
        power_digit_q <= '{default: '0};
        fresh_q     <= 1'b1;
        started_q   <= 1'b0;
        power_moved_q <= 1'b0;
        ctx_q       <= 1'b0;
        window_q    <= scheme_i == SchemeLeftToRight ? 3'd1 : window_i;
        digit_q     <= '{default: '0};
        // SEC_CM: ERASE.WORKING_REGISTERS
        a_q         <= power_in_q;  // as in StNext; and of a power that was stopped no digit stays
        b_q         <= '{default: RegionTable};
      end

      // The word of the topmost bit, and how many bits of it are none of the exponent's
      StAlign: begin
        skip_q <= CountWidth'(above_q) + CountWidth'(1);
        if (!above_q[13]) begin
          above_q <= above_q - 14'(W);
          word_q  <= word_q + AddressWidth'(1);
        end
      end

      StTable: begin
        entries_q <= entries_q - 6'd1;
        b_q       <= '{default: RegionTable + power_q};
        if (fixed_q) begin
          a_q     <= '{default: RegionTable + 1};
          d_q     <= RegionTable + power_q + 1;
          power_q <= power_q + 6'd1;
        end else if (!started_q) begin
          a_q       <= '{default: RegionTable + 1};
          d_q       <= RegionSquare;
          started_q <= 1'b1;
        end else begin
          a_q     <= '{default: RegionSquare};
          d_q     <= RegionTable + power_q + 2;
          power_q <= power_q + 6'd2;
        end
      end

      StNext: begin
        taken_q    <= '0;
        zeros_q    <= '0;
        digit_q    <= '{default: '0};
        fetch_q    <= '0;
        multiply_q <= 1'b1;
        fresh_q    <= 1'b0;
        if (fresh_q) started_q <= 1'b0;
        // At the end: a power that no operation has made yet, one or a table entry, times one
        a_q <= power_in_q;
        b_q <= '{default: RegionTable};
        d_q <= RegionAccumulator;
        if (left_none) power_moved_q <= 1'b1;
      end

      StFetch: begin
        fetch_q <= fetch_q + 1'b1;
        base_q         <= exponent_i[fetch_q[0]];
        read_address_o <= base_q + word_q;
        if (32'(fetch_q) == FetchCycles) word_q <= right_to_left_q ? word_q + 1'b1 : word_q - 1'b1;
      end

      StSkip: begin
        if (skip_q[CountWidth-1]) begin
          skip_q <= skip_q + 1'b1;
        end
      end

      StTake: begin
        fetch_q <= '0;
        if (!available_none) begin
          for (int unsigned x = 0; x < 2; x++) begin
            digit_q[x] <= {digit_q[x][3:0], bit_now[x]};
          end
          left_q      <= left_q - 14'd1;
          taken_q     <= taken_q + 3'd1;
          squarings_q <= started_q ? taken_q + 3'd1 : '0;  // of a fixed digit, or a single zero
          if (!fixed_q && taken_q == '0 && !bit_now[0]) multiply_q <= 1'b0;
        end
      end

      StOdd: begin
        if (!digit_q[0][0]) begin
          digit_q[0] <= {1'b0, digit_q[0][4:1]};
          zeros_q    <= zeros_q + 3'd1;
        end
        squarings_q <= squarings_first;
      end

      StSquare: begin
        a_q <= power_in_q;
        b_q <= power_in_q;
        d_q <= RegionAccumulator;
        if (squarings_q != '0) begin
          squarings_q   <= squarings_q - 3'd1;
          power_moved_q <= 1'b1;
        end
      end

      StMultiply: begin
        a_q <= power_in_q;
        for (int unsigned x = 0; x < 2; x++) begin
          b_q[x] <= RegionTable + region_t'(digit_q[x]);
          if (!started_q) power_digit_q[x] <= digit_q[x];
        end
        if (started_q) power_moved_q <= 1'b1;
        d_q         <= RegionAccumulator;
        started_q   <= 1'b1;
        multiply_q  <= 1'b0;
        squarings_q <= zeros_q;
      end

      // From the right: the accumulator times x if the bit was set, then x squared
      StRight: begin
        a_q        <= digit_q[0][0] ? power_in_q : '{default: RegionTable + 1};
        b_q        <= '{default: RegionTable + 1};
        d_q        <= digit_q[0][0] ? RegionAccumulator : RegionTable + 1;
        digit_q[0] <= '0;
        if (digit_q[0][0]) power_moved_q <= 1'b1;
      end

      StFirst: ;  // power_in_q follows power_digit_q

      default: if (op_ready_i) ctx_q <= dual_i & ~ctx_q;  // StEmit
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      after_q    <= StIdle;
      stopping_q <= 1'b0;
    end else begin
      stopping_q <= state_q != StIdle && (stopping_q || abort_i);
      unique case (state_q)
        StIdle: if (start_i) state_q <= scheme_i == SchemeRightToLeft ? StNext : StAlign;
        StAlign: if (above_q[13]) state_q <= scheme_i == SchemeLeftToRight ? StNext : StTable;
        StTable: begin
          state_q <= StEmit;
          after_q <= entries_q[5] ? StNext : StTable;
        end
        StNext: begin
          after_q <= StIdle;
          state_q <= !left_none ? StTake : power_moved_q ? StIdle : StEmit;
        end
        StFetch: if (32'(fetch_q) == FetchCycles) state_q <= StSkip;
        StSkip: if (!skip_q[CountWidth-1]) state_q <= StTake;
        StTake: begin
          if (available_none) state_q <= StFetch;
          else if (right_to_left_q) state_q <= StRight;
          else if (fixed_q) begin
            if (digit_full) state_q <= StSquare;  // SEC_CM: TIME.EXPONENT
          end else if (taken_q == '0 && !bit_now[0]) state_q <= StSquare;
          else if (digit_full) state_q <= StOdd;
        end
        StOdd: if (digit_q[0][0]) state_q <= StSquare;
        StSquare: begin
          after_q <= StSquare;
          state_q <= squarings_q != '0 ? StEmit : multiply_q ? StMultiply : StNext;
        end
        StMultiply: begin
          after_q <= StSquare;
          state_q <= started_q ? StEmit : StFirst;
        end
        StFirst: state_q <= StSquare;
        StRight: begin
          after_q <= digit_q[0][0] ? StRight : StNext;
          state_q <= digit_q[0][0] || !left_none ? StEmit : StNext;
        end
        default: begin  // StEmit
          if (op_ready_i && (ctx_q || !dual_i)) begin
            if (stopping_q) state_q <= StIdle;
            else unique case (after_q)  // not `state_q <= after_q`: tools see a state machine of constants
              StTable:  state_q <= StTable;
              StNext:   state_q <= StNext;
              StSquare: state_q <= StSquare;
              StRight:  state_q <= StRight;
              default:  state_q <= StIdle;
            endcase
          end
        end
      endcase
    end
  end

endmodule
