// SPDX-License-Identifier: Apache-2.0
// The intake of `rsa_core`: takes a job, looks up its slot, refuses it or has its program run, and answers.
//
// A job that is done, and one that is refused before anything is computed:
//
//   cycle             0       1       2       3       4    ...
//   job_valid_i       1
//   state_q           Open    Decode  Lookup  Refuse  Run  ...  Announce  Deliver  ...  Closed  Open
//   job_o                     J                       its bits are those of the slot
//   start_o                                   1                                          the program at pc_o starts
//   respond_i                                              1                             from the sequencer
//   response_valid_o                                            1
//   done_i                                                                         1     the result has left
//
//   state_q           Open    Decode  Lookup  Refuse  Drain  Drain  Respond  Closed  Open
//   drain_o                                           1      1                           operands are thrown away
//   ended_i                                           1                                  their last word was seen
//
// Stopped by a wipe (stop_i, stopped_i), a job waits for its end, and then for the end of its operands:
//
//   state_q           Run     Stopped  WipeOwing ... Drain  Respond  Closed
//   wipe_begin_o              1                             StatusEmptySlot
//
// Contract    One job at a time: job_ready_o is high in StOpen alone, job_o holds from the next cycle to the answer.
//             Every job that is taken is answered once, with its tag. No job is taken while a wipe runs. The sequencer
//             says how its program goes on: failed_i (a check, with its status), respond_i (the result is there),
//             stopped_i (for stop_i, and mont is quiet), done_i (the program is at its end). Each is a pulse and ends the
//             program, but for respond_i, behind which done_i comes. After a load that has failed the program runs that
//             erases its slot (erases_o); then it is answered. The program of a wipe ends with done_i alone.
//             Reset: no job, all slots empty; job_ready_o rises after the wipe.
module rsa_intake
  import garner_pkg::*;
  import rsa_program_pkg::PcWidth;
#(
  parameter int unsigned MaxBits  = 4096,
  parameter int unsigned KeySlots = 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               job_valid_i,
  output logic               job_ready_o,
  input  job_t               job_i,
  output logic               response_valid_o,
  input  logic               response_ready_i,
  output response_t          response_o,
  output logic               busy_o,
  output job_t               job_o,
  // the operand stream
  output logic               stream_clear_o,  // before a job
  output logic               drain_o,
  input  logic               ended_i,
  // the wipe controller
  input  logic               wipe_asked_i,
  input  logic               stop_i,
  input  logic               refuse_i,
  output logic               wipe_begin_o,
  output logic               announced_o,     // the job is answered or its answer is on offer; its result follows
  output logic               erases_o,        // the program of the job erases its slot
  // the sequencer
  output logic               start_o,
  output logic [PcWidth-1:0] pc_o,            // of the program that start_o starts
  input  logic               failed_i,
  input  status_e            failed_status_i,
  input  logic               mark_i,          // the slot of the job holds a modulus, or a key if key_i
  input  logic               key_i,
  input  logic               respond_i,
  input  logic               stopped_i,
  input  logic               done_i
);

  typedef enum logic [3:0] {
    StClosed,      // between two jobs: a wipe that is asked for comes first
    StOpen,        // a job is taken
    StDecode,
    StLookup,
    StRefuse,
    StRun,         // its program runs
    StAnnounce,    // the answer of a job whose program goes on behind it
    StDeliver,
    StDrain,       // operands of a job that is refused, up to the last
    StDrainLoad,   // the same, of a load that has left something of a key
    StErase,       // which is being overwritten
    StRespond,     // the answer of a job whose program is over
    StStopped,     // stopped by a wipe, and not answered
    StWipe,        // everything is overwritten
    StWipeOwing    // the same; then the job that was stopped is answered
  } state_e;

  (* fsm_encoding = "one-hot" *)
  state_e state_q;
  job_t job_q;
  status_e status_q;
  logic [PcWidth-1:0] start_pc_q;
  logic load_q, drained_q;
  status_e refusal;
  logic [12:0] slot_bits;

  rsa_slots #(.MaxBits(MaxBits), .KeySlots(KeySlots)) u_slots (
    .clk_i, .rst_ni, .job_i(job_q), .refuse_i, .bits_o(slot_bits), .refusal_o(refusal),
    .accept_i(state_q == StRefuse && refusal == StatusOk), .mark_i, .key_i, .clear_i(wipe_asked_i)
  );

  assign job_ready_o = state_q == StOpen;
  assign job_o = job_q;
  assign response_valid_o = state_q == StRespond || state_q == StAnnounce;
  assign response_o = '{status: status_q, tag: job_q.tag};
  assign busy_o = !(state_q == StClosed || state_q == StOpen);
  assign stream_clear_o = state_q == StDecode;
  assign drain_o = state_q == StDrain || state_q == StDrainLoad;
  assign announced_o = state_q == StAnnounce || state_q == StDeliver;
  assign erases_o = state_q == StDrainLoad || state_q == StErase || job_q.op == OpZeroise;
  assign wipe_begin_o = state_q == StStopped || (wipe_asked_i && (state_q == StClosed
                                                                  || (state_q == StOpen && !job_valid_i)));
  assign start_o = (state_q == StRefuse && refusal == StatusOk) || (state_q == StDrainLoad && !stop_i && drained_q)
                   || wipe_begin_o;
  assign pc_o = state_q == StRefuse ? start_pc_q
                : state_q == StDrainLoad ? PcWidth'(rsa_program_pkg::StartZeroiseSlot)
                : PcWidth'(rsa_program_pkg::StartZeroise);

  always_ff @(posedge clk_i) begin
    load_q     <= job_q.op == OpLoadModulus || job_q.op == OpLoadKey;
    drained_q  <= ended_i || !has_operands(job_q.op);
    start_pc_q <= rsa_program_pkg::start_of(job_q.op);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= StClosed;
      job_q    <= '0;
      status_q <= StatusOk;
    end else begin
      unique case (state_q)
        StClosed: state_q <= wipe_asked_i ? StWipe : StOpen;
        StOpen: begin
          job_q <= job_i;
          if (job_valid_i) state_q <= StDecode;
          else if (wipe_asked_i) state_q <= StWipe;
        end
        StDecode: state_q <= StLookup;
        StLookup: state_q <= StRefuse;
        StRefuse: begin
          status_q <= refusal;
          state_q  <= refusal == StatusOk ? StRun : StDrain;
          if (!load_q) job_q.bits <= slot_bits;
        end

        StRun: begin
          if (failed_i) begin
            status_q <= failed_status_i;
            state_q  <= load_q ? StDrainLoad : StDrain;
          end
          // SEC_CM: JOB.STOPPED
          if (stopped_i) begin
            status_q <= StatusEmptySlot;
            state_q  <= StStopped;
          end
          if (respond_i) state_q <= StAnnounce;  // status_q is StatusOk
        end
        StErase: begin  // the status is that of the refusal
          if (stopped_i) begin
            status_q <= StatusEmptySlot;
            state_q  <= StStopped;
          end
          if (respond_i) state_q <= StAnnounce;
        end
        StAnnounce: if (response_ready_i) state_q <= StDeliver;
        StDeliver: if (done_i) state_q <= StClosed;

        StDrain: begin
          if (stop_i) state_q <= StStopped;
          else if (drained_q) state_q <= StRespond;
        end
        StDrainLoad: begin
          if (stop_i) state_q <= StStopped;
          else if (drained_q) state_q <= StErase;  // SEC_CM: ERASE.REFUSED_LOAD
        end
        StRespond: if (response_ready_i) state_q <= StClosed;

        StStopped: state_q <= StWipeOwing;
        StWipe: if (done_i) state_q <= StClosed;
        default: if (done_i) state_q <= StDrain;  // StWipeOwing
      endcase
    end
  end

`ifdef GARNER_ASSERT
  logic wiping;
  assign wiping = state_q == StWipe || state_q == StWipeOwing;
  always_comb begin
    if (rst_ni) begin
      stopped_for_a_wipe:         assert (state_q != StStopped || wipe_asked_i);
      no_job_taken_by_a_wipe:     assert (!(wiping && job_ready_o));
      no_answer_during_a_wipe:    assert (!(wiping && response_valid_o));
      only_a_job_fails:           assert (!failed_i || state_q == StRun);
      only_a_job_marks:           assert (!mark_i || (state_q == StRun && load_q));
      only_a_job_responds:        assert (!respond_i || state_q == StRun || state_q == StErase);
      only_what_is_unanswered_is_stopped: assert (!stopped_i || state_q == StRun || state_q == StErase);
      only_answered_jobs_and_wipes_end:   assert (!done_i || state_q == StDeliver || wiping);
      a_job_runs_without_a_fault: assert (state_q != StRun || status_q == StatusOk);
    end
  end
`endif

endmodule
