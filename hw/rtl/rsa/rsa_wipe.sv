// SPDX-License-Identifier: Apache-2.0
// The wipe controller of `rsa_core`: when everything is to be erased, which job stops for it, and what a program erases
// beside the words that it writes.
//
//   cycle            0      1      2      3      4        5        ...  n        n+1
//   zeroise_i        1      1      0                                                       comes from far away: through
//   refuse_o                1      1      0                                                a register; jobs are refused
//   state_q          Clean  Clean  Asked  Asked  Asked    Running  ...  Running  Clean
//   asked_o                        1      1      1        0                                no slot holds anything
//   stop_o                                1      1        1        0                       the job under way is to stop
//   begin_i                                      1                                         and has: Zeroise starts
//   running_o                                             1             1        0
//   done_i                                                              1                  it has ended
//
// A rising edge of zeroise_i while the wipe runs (RunningAsked) has everything erased once more.
//
// Contract    begin_i (a pulse) comes only while asked_o and not running_o; done_i, while running_o, is the end of that
//             program. A job whose result has been announced (announced_i) is not stopped: it is delivered first.
//             whole_o: the program that runs erases whatever a slot held before, so lengths are those of MaxBits.
//             clear_o follows sizes_start_i of such a program, and clears the registers of words and digits that no
//             program writes to. Reset: asked for, so that all memories are overwritten before the first job.
module rsa_wipe (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic zeroise_i,
  input  logic begin_i,
  input  logic done_i,
  input  logic announced_i,
  input  logic erases_i,       // the job under way erases its slot: OpZeroise, or a load that is refused half way
  input  logic sizes_start_i,  // a program begins
  output logic refuse_o,
  output logic asked_o,
  output logic running_o,
  output logic stop_o,
  output logic whole_o,
  output logic clear_o
);

  typedef enum logic [1:0] {Clean = 2'b00, Asked = 2'b01, Running = 2'b10, RunningAsked = 2'b11} state_e;
  state_e state_q;
  logic zeroise_q, zeroise_before_q, rises, whole_q;

  assign rises = zeroise_q && !zeroise_before_q;
  assign refuse_o = zeroise_q;
  assign asked_o = state_q == Asked || state_q == RunningAsked;
  assign running_o = state_q == Running || state_q == RunningAsked;
  assign whole_o = running_o || whole_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q          <= Asked;  // SEC_CM: ERASE.RESET
      zeroise_q        <= 1'b0;
      zeroise_before_q <= 1'b0;
    end else begin
      zeroise_q        <= zeroise_i;
      zeroise_before_q <= zeroise_q;
      unique case (state_q)  // SEC_CM: ERASE.CONTROL
        Clean:   if (rises) state_q <= Asked;
        Asked:   if (begin_i) state_q <= rises ? RunningAsked : Running;
        Running: begin
          if (done_i) state_q <= rises ? Asked : Clean;
          else if (rises) state_q <= RunningAsked;
        end
        default: if (done_i) state_q <= Asked;  // RunningAsked
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    stop_o  <= state_q == Asked && !announced_i;  // SEC_CM: JOB.STOPPED
    whole_q <= erases_i;  // SEC_CM: ERASE.SLOT
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clear_o <= 1'b0;
    else clear_o <= sizes_start_i && (running_o || whole_q);  // SEC_CM: ERASE.WORKING_REGISTERS
  end

`ifdef GARNER_ASSERT
  always_comb begin
    if (rst_ni && begin_i) begin
      wipe_begins_when_asked: assert (state_q == Asked);
    end
  end
`endif

endmodule
