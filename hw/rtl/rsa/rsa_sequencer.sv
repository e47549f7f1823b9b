// SPDX-License-Identifier: Apache-2.0
// The sequencer of `rsa_core`: steps through a program, one instruction after the other, and starts the unit that each
// is for: a pass of the word ALU, a multiplication, an exponentiation.
//
//   cycle             0     1      ...    n     n+1      n+2      n+3      n+4  ...
//   start_i           1                                                              the program at pc_i
//   state_q           Idle  sizes of n, then of p and q (rsa_sizes)
//                                         Next  Address  Prepare  Execute  Pass ...  Next   Address
//   pc_q                    k      k      k     k+1                                  k+1    k+2
//   instruction_o                               I[k]                                        I[k+1]
//   alu_start_o                                                            1         or exponent_start_o
//   failed_o                                                                                1: the check of I[k]
//
// An instruction takes four cycles beside its work. The next one has left rsa_program by then, for there are no jumps;
// rsa_decode has said by Execute what its names stand for.
//
// Contract    start_i (a pulse, with pc_i) comes while the sequencer is idle. Exactly one of these pulses ends the
//             program: failed_o with failed_status_o (a check, or operands that were too few or too many), stopped_o (for
//             stop_i, when mont is quiet), done_o. At KindRespond respond_o is given, and the next instruction waits for
//             answered_i. A unit is started only while no other is at work, and multiplications of which the next
//             instruction needs the result or the memory are waited for: quiet_i.
//             config_o, stride_o and exponent_o (the exponentiator has the way) are a cycle behind what they follow.
//             Steps and times depend on the program, on lengths and on the busy_i of the units alone. Reset: idle.
module rsa_sequencer
  import garner_pkg::*;
  import rsa_pkg::*;
  import rsa_program_pkg::PcWidth;
#(
  parameter int unsigned W    = 18,
  parameter int unsigned Rows = 15
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // the intake
  input  logic               start_i,
  input  logic [PcWidth-1:0] pc_i,
  input  logic               answered_i,
  output logic               failed_o,
  output status_e            failed_status_o,
  output logic               mark_o,
  output logic               respond_o,
  output logic               stopped_o,
  output logic               done_o,
  // the wipe controller
  input  logic               stop_i,
  input  logic               wiping_i,          // words for the out stream are thrown away
  output logic               sizes_start_o,
  // lengths
  input  logic [12:0]        bits_i,            // of n: looked at with sizes_start_o
  output sizes_t             full_o,            // modulo n
  output sizes_t             half_o,            // modulo p or q
  output stride_t            stride_o,
  output mont_pkg::config_t  config_o,
  // what the instruction is, and the units it is for
  output instruction_t       instruction_o,
  output logic               alu_start_o,
  output logic               in_begin_o,        // the pass takes an operand from the in stream
  output logic               out_begin_o,       // the pass sends the result to the out stream
  input  logic               alu_busy_i,
  output logic               exponent_start_o,
  output logic               exponent_o,
  input  logic               exponent_busy_i,
  output logic               own_valid_o,       // a multiplication
  input  logic               own_ready_i,
  output exp_pkg::region_op_t own_op_o,
  input  logic               quiet_i,           // no multiplication is under way
  input  logic               packer_busy_i,
  // what is checked
  input  logic               odd_i,             // the lowest word of a modulus is odd
  input  logic               top_i,             // the top bit of an operand is set
  input  logic               negative_i,
  input  logic               zero_i,
  input  logic               ended_i,           // of the operand stream
  input  logic               short_i
);

  typedef enum logic [3:0] {
    StIdle, StFullStart, StFullWait, StHalfStart, StHalfWait, StNext, StAddress, StPrepare, StExecute, StPass, StSecond,
    StExponentiate, StAnswer, StAbort
  } state_e;

  (* fsm_encoding = "one-hot" *)
  state_e state_q;
  logic [PcWidth-1:0] pc_q;
  instruction_t instruction, instruction_q;
  logic [7:0] is_q;  // what instruction_q is: a bit for each kind_e
  sizes_t full_q, half_q;
  mode_e mode_q;
  stride_t stride_q;
  mont_pkg::config_t config_q;
  logic sizes_busy;
  sizes_t sizes;

  rsa_program u_program (.clk_i, .pc_i(pc_q), .instruction_o(instruction));

  rsa_sizes #(.W(W), .Rows(Rows)) u_sizes (
    .clk_i, .rst_ni, .start_i(sizes_start_o), .bits_i(state_q == StHalfStart ? {1'b0, bits_i[12:1]} : bits_i),
    .busy_o(sizes_busy), .sizes_o(sizes)
  );

  // ---- What the units are told
  logic may_start, uses_mont_q, from_stream_q, to_stream_q, packer_busy_q, stream_bad_q, exponent_done_q;
  assign may_start = !uses_mont_q || quiet_i;
  assign sizes_start_o = state_q == StFullStart || state_q == StHalfStart;
  assign instruction_o = instruction_q;
  assign full_o = full_q;
  assign half_o = half_q;
  assign stride_o = stride_q;
  assign config_o = config_q;
  assign own_valid_o = (state_q == StExecute && is_q[KindMultiply]) || state_q == StSecond;
  assign own_op_o = '{ctx: state_q == StSecond, a: exp_pkg::region_t'(instruction_q.y.index), b: instruction_q.b,
                      d: exp_pkg::region_t'(instruction_q.d.index)};

  always_ff @(posedge clk_i) begin
    for (int unsigned kind = 0; kind < $bits(is_q); kind++) is_q[kind] <= 32'(instruction_q.kind) == kind;
    uses_mont_q   <= instruction_q.y.space inside {SpaceOperand, SpaceModulus}
                     || instruction_q.d.space inside {SpaceOperand, SpaceModulus};
    from_stream_q <= instruction_q.y.space == SpaceStream;
    to_stream_q   <= instruction_q.d.space == SpaceStream;
    packer_busy_q <= packer_busy_i;
    stream_bad_q  <= !ended_i || short_i;
    exponent_o    <= state_q == StExponentiate;
    if (state_q == StFullWait && !sizes_busy) full_q <= sizes;
    if (state_q == StHalfWait && !sizes_busy) half_q <= sizes;
    stride_q        <= mode_q == ModeFull ? full_q.stride : half_q.stride;
    config_q.words  <= mode_q == ModeFull ? full_q.words : half_q.words;
    config_q.passes <= mode_q == ModeFull ? full_q.passes
                       : mode_q == ModeHalf ? half_q.passes : {half_q.passes[7:0], 1'b0};
    config_q.digits <= mode_q == ModeHalf ? half_q.words : full_q.words;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      alu_start_o      <= 1'b0;
      in_begin_o       <= 1'b0;
      out_begin_o      <= 1'b0;
      exponent_start_o <= 1'b0;
      exponent_done_q  <= 1'b0;
    end else begin
      alu_start_o      <= state_q == StExecute && is_q[KindPass] && may_start;
      in_begin_o       <= state_q == StExecute && is_q[KindPass] && may_start && from_stream_q;
      out_begin_o      <= state_q == StExecute && is_q[KindPass] && may_start && to_stream_q && !wiping_i;
      exponent_start_o <= state_q == StExecute && is_q[KindExponentiate];
      exponent_done_q  <= exponent_o && !exponent_busy_i && !exponent_start_o;
    end
  end

  // ---- The check of the instruction before: judged while the next one is decoded
  logic check_failed, check_failed_q;
  status_e check_status, check_status_q;
  always_comb begin
    check_failed = 1'b0;
    check_status = StatusOk;
    unique case (instruction_q.check)
      CheckModulus: begin
        check_failed = !odd_i || !top_i;
        check_status = StatusBadModulus;
      end
      CheckBelow: begin
        check_failed = !negative_i;
        check_status = StatusBadOperand;
      end
      CheckZero: begin
        check_failed = !zero_i;  // SEC_CM: RESULT.CHECKED
        check_status = StatusCheckFailed;
      end
      default: ;
    endcase
    if (short_i) check_status = StatusBadLength;
  end
  always_ff @(posedge clk_i) begin
    check_failed_q <= check_failed;
    check_status_q <= check_status;
  end

  // ---- What the intake is told
  logic input_failed;
  assign input_failed = state_q == StExecute && is_q[KindEndInput] && stream_bad_q;
  assign failed_o = (state_q == StAddress && check_failed_q) || input_failed;
  assign failed_status_o = state_q == StAddress ? check_status_q : StatusBadLength;
  assign mark_o = state_q == StExecute && is_q[KindMark];
  assign respond_o = state_q == StExecute && is_q[KindRespond];
  assign done_o = state_q == StExecute && is_q[KindEnd] && !packer_busy_q;
  assign stopped_o = state_q == StAbort && quiet_i;

  // ---- The steps
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= StIdle;
      pc_q          <= '0;
      instruction_q <= '0;
      mode_q        <= ModeFull;
    end else begin
      unique case (state_q)
        StIdle: begin
          pc_q          <= pc_i;
          instruction_q <= '0;  // no check is pending
          if (start_i) state_q <= StFullStart;
        end
        StFullStart: state_q <= StFullWait;
        StFullWait: if (!sizes_busy) state_q <= StHalfStart;
        StHalfStart: state_q <= StHalfWait;
        StHalfWait: if (!sizes_busy) state_q <= StNext;

        StNext: begin
          pc_q          <= pc_q + 1'b1;  // SEC_CM: TIME.PROGRAM
          instruction_q <= instruction;
          state_q       <= StAddress;
        end
        StAddress: state_q <= check_failed_q ? StIdle : StPrepare;  // SEC_CM: RESULT.CHECKED
        StPrepare: state_q <= stop_i ? StAbort : StExecute;
        StExecute: begin
          if (is_q[KindPass] && may_start) state_q <= StPass;
          if (is_q[KindMultiply] && own_ready_i) state_q <= instruction_q.dual ? StSecond : StNext;
          if (is_q[KindExponentiate]) state_q <= StExponentiate;
          if (is_q[KindMode] && quiet_i) begin
            mode_q  <= mode_e'(instruction_q.y.index[1:0]);
            state_q <= StNext;
          end
          if (is_q[KindEndInput]) state_q <= stream_bad_q ? StIdle : StNext;
          if (is_q[KindMark]) state_q <= StNext;
          if (is_q[KindRespond]) state_q <= StAnswer;
          if (is_q[KindEnd] && !packer_busy_q) state_q <= StIdle;
        end

        StPass: if (!alu_busy_i && !alu_start_o) state_q <= stop_i ? StAbort : StNext;
        StSecond: if (own_ready_i) state_q <= StNext;
        StExponentiate: if (exponent_done_q) state_q <= stop_i ? StAbort : StNext;
        StAnswer: if (answered_i) state_q <= StNext;
        default: if (quiet_i) state_q <= StIdle;  // StAbort
      endcase
    end
  end

`ifdef GARNER_ASSERT
  always_comb begin
    if (rst_ni) begin
      started_when_idle:          assert (!start_i || state_q == StIdle);
      one_outcome:                assert ($onehot0({failed_o, stopped_o, respond_o, done_o}));
      one_unit_at_a_time:         assert ($onehot0({alu_start_o || alu_busy_i, exponent_start_o || exponent_busy_i}));
      alu_works_in_its_step:      assert (!(alu_start_o || alu_busy_i) || state_q == StPass);
      exponent_works_in_its_step: assert (!(exponent_start_o || exponent_busy_i) || state_q == StExponentiate);
      one_gives_multiplications:  assert (!(own_valid_o && exponent_o));
      nothing_is_sent_by_a_wipe:  assert (!(out_begin_o && wiping_i));
    end
  end
`endif

endmodule
