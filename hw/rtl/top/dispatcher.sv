// The dispatcher: one stream of jobs onto many cores, and their answers back onto one stream, in the order they end.
//
//   cycle       0    1    2    3    4    ...
//   job         J                               choose a free core; an operation that changes keys waits for all cores
//   core              J                         offered
//   operands               d    d    d          handed through, to all cores when the job is for all
//
//   response    R
//   answer           R                          the cores in turn
//   result                d    d    d           handed through, to its end
//
// A job for all cores (`is_broadcast`) is a barrier: those before it have ended, those behind it see its effect. Its
// answer is the worst status of all cores' answers.
//
// Contract    Every job taken is answered exactly once. A core is offered a job only when it has answered the one before
//             and all of its result is taken. Operands follow their job and end with operand_last_i (none at all where
//             `has_operands` says so). Cores may answer before they have taken all operands, and take all even so.
// Parameters  Cores: 1 to 32.
module dispatcher
  import garner_pkg::*;
  import bus_pkg::*;
#(
  parameter int unsigned Cores = 2
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   job_valid_i,
  output logic                   job_ready_o,
  input  job_t                   job_i,
  input  logic                   source_i,
  input  logic                   operand_valid_i,
  output logic                   operand_ready_o,
  input  logic [31:0]            operand_data_i,
  input  logic                   operand_last_i,

  output logic                   answer_valid_o,
  input  logic                   answer_ready_i,
  output answer_t                answer_o,
  output logic                   result_valid_o,
  input  logic                   result_ready_i,
  output logic [31:0]            result_data_o,
  output logic                   result_last_o,

  output logic                   idle_o,           // no job is here

  output logic [Cores-1:0]       core_job_valid_o,
  input  logic [Cores-1:0]       core_job_ready_i,
  output job_t                   core_job_o,
  output logic [Cores-1:0]       core_operand_valid_o,
  input  logic [Cores-1:0]       core_operand_ready_i,
  output logic [31:0]            core_operand_data_o,
  output logic                   core_operand_last_o,
  input  logic [Cores-1:0]       core_response_valid_i,
  output logic [Cores-1:0]       core_response_ready_o,
  input  response_t [Cores-1:0]  core_response_i,
  input  logic [Cores-1:0]       core_result_valid_i,
  output logic [Cores-1:0]       core_result_ready_o,
  input  logic [Cores-1:0][31:0] core_result_data_i,
  input  logic [Cores-1:0]       core_result_last_i
);

  if (Cores < 1 || Cores > 32) begin : gen_bad_cores
    $fatal(1, "dispatcher: Cores must be 1 to 32");
  end

  localparam int unsigned CoreWidth = (Cores > 1) ? $clog2(Cores) : 1;

  // Jobs out.
  typedef enum logic [1:0] {
    Choose,
    Offer,
    Operands
  } job_state_e;

  job_state_e           job_state_q;
  logic [Cores-1:0]     target_q;      // the cores the job is for
  logic [Cores-1:0]     pending_q;     // of them, those that have not yet taken it
  logic [Cores-1:0]     taken_q;       // of them, those that have the operand word on offer
  logic [Cores-1:0]     busy_q;        // cores with a job not yet wholly answered
  logic [Cores-1:0]     source_q, has_result_q;
  logic                 all_q;         // a job for all cores is under way
  logic [Cores-1:0]     free, first_free;
  logic [CoreWidth-1:0] first_free_index;
  logic                 can_start, start, offered, operand_end;
  logic [31:0]          now_q;
  logic [31:0]          start_q[2**CoreWidth];  // when the core's job was chosen for it

  assign free = ~busy_q & core_job_ready_i;
  always_comb begin
    first_free       = '0;
    first_free_index = '0;
    for (int i = int'(Cores) - 1; i >= 0; i--) begin
      if (free[i]) begin
        first_free       = '0;
        first_free[i]    = 1'b1;
        first_free_index = CoreWidth'(i);
      end
    end
  end

  assign can_start = !all_q && (is_broadcast(job_i.op) ? busy_q == '0 : free != '0);
  assign start     = job_state_q == Choose && job_valid_i && can_start;
  assign offered   = job_state_q == Offer && (pending_q & ~core_job_ready_i) == '0;

  assign core_job_valid_o = (job_state_q == Offer) ? pending_q : '0;
  assign core_job_o       = job_i;
  assign job_ready_o      = offered;

  assign core_operand_valid_o = (job_state_q == Operands && operand_valid_i) ? target_q & ~taken_q : '0;
  assign core_operand_data_o  = operand_data_i;
  assign core_operand_last_o  = operand_last_i;
  assign operand_ready_o      = job_state_q == Operands && (target_q & ~taken_q & ~core_operand_ready_i) == '0;
  assign operand_end          = operand_valid_i && operand_ready_o && operand_last_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      job_state_q  <= Choose;
      target_q     <= '0;
      pending_q    <= '0;
      taken_q      <= '0;
      source_q     <= '0;
      has_result_q <= '0;
    end else begin
      unique case (job_state_q)
        Choose: if (start) begin
          job_state_q <= Offer;
          target_q    <= is_broadcast(job_i.op) ? '1 : first_free;
          pending_q   <= is_broadcast(job_i.op) ? '1 : first_free;
        end
        Offer: begin
          pending_q <= pending_q & ~core_job_ready_i;
          for (int unsigned i = 0; i < Cores; i++) begin
            if (target_q[i]) begin
              source_q[i]     <= source_i;
              has_result_q[i] <= has_result(job_i.op);
            end
          end
          if (offered) job_state_q <= has_operands(job_i.op) ? Operands : Choose;
        end
        default: begin
          if (operand_valid_i) taken_q <= operand_ready_o ? '0 : taken_q | (target_q & core_operand_ready_i);
          if (operand_end) job_state_q <= Choose;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) now_q <= '0;
    else now_q <= now_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (start) start_q[is_broadcast(job_i.op) ? '0 : first_free_index] <= now_q;
  end

  // Answers in.
  typedef enum logic [1:0] {
    Listen,
    Answer,
    Result
  } answer_state_e;

  answer_state_e        answer_state_q;
  answer_t              answer_q;
  logic [CoreWidth-1:0] core_q;         // whose answer it is, and who was last
  logic [Cores-1:0]     missing_q;      // of a job for all: who has not answered
  logic [Cores-1:0]     responding;
  logic [CoreWidth-1:0] next_core;
  logic                 next_valid, done;
  status_e              worst;
  logic [Cores-1:0]     done_cores;

  assign responding = core_response_valid_i & busy_q;

  // The first responding core behind the last one.
  always_comb begin
    next_core  = '0;
    next_valid = 1'b0;
    for (int i = int'(Cores) - 1; i >= 0; i--) begin
      if (responding[i] && i <= int'(core_q)) begin
        next_core  = CoreWidth'(i);
        next_valid = 1'b1;
      end
    end
    if ((responding >> core_q) >> 1 != '0) begin
      for (int i = int'(Cores) - 1; i >= 0; i--) begin
        if (responding[i] && i > int'(core_q)) next_core = CoreWidth'(i);
      end
      next_valid = 1'b1;
    end
  end

  always_comb begin
    worst = answer_q.status;
    for (int unsigned i = 0; i < Cores; i++) begin
      if (missing_q[i] && core_response_valid_i[i] && core_response_i[i].status > worst) begin
        worst = core_response_i[i].status;
      end
    end
  end

  always_comb begin
    core_response_ready_o = '0;
    if (answer_state_q == Listen) begin
      if (all_q) core_response_ready_o = missing_q & busy_q;
      else if (next_valid) core_response_ready_o[next_core] = 1'b1;
    end
  end

  assign answer_valid_o = answer_state_q == Answer;
  assign answer_o       = answer_q;
  assign result_valid_o = answer_state_q == Result && core_result_valid_i[core_q];
  assign result_data_o  = core_result_data_i[core_q];
  assign result_last_o  = core_result_last_i[core_q];
  always_comb begin
    core_result_ready_o = '0;
    core_result_ready_o[core_q] = answer_state_q == Result && result_ready_i;
  end

  assign done = (answer_state_q == Answer && answer_ready_i && !answer_q.has_result) ||
                (result_valid_o && result_ready_i && result_last_o);
  always_comb begin
    done_cores = '0;
    if (done && all_q) done_cores = '1;
    else if (done) done_cores[core_q] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      answer_state_q <= Listen;
      answer_q       <= '{status: StatusOk, default: '0};
      core_q         <= '0;
      missing_q      <= '0;
      all_q          <= 1'b0;
      busy_q         <= '0;
    end else begin
      if (start) begin
        busy_q <= is_broadcast(job_i.op) ? '1 : (busy_q & ~done_cores) | first_free;
        if (is_broadcast(job_i.op)) begin
          all_q           <= 1'b1;
          missing_q       <= '1;
          answer_q        <= '{status: StatusOk, tag: job_i.tag, source: source_i, default: '0};
        end
      end else begin
        busy_q <= busy_q & ~done_cores;
      end
      unique case (answer_state_q)
        Listen: begin
          if (all_q) begin
            missing_q       <= missing_q & ~core_response_valid_i;
            answer_q.status <= worst;
            if ((missing_q & ~core_response_valid_i) == '0) answer_state_q <= Answer;
            answer_q.cycles <= now_q - start_q[0];
            core_q          <= '0;
          end else if (next_valid) begin
            answer_state_q      <= Answer;
            answer_q.status     <= core_response_i[next_core].status;
            answer_q.tag        <= core_response_i[next_core].tag;
            answer_q.source     <= source_q[next_core];
            answer_q.has_result <= has_result_q[next_core] && core_response_i[next_core].status == StatusOk;
            answer_q.cycles     <= now_q - start_q[next_core];
            core_q              <= next_core;
          end
        end
        Answer: if (answer_ready_i) begin
          answer_state_q <= answer_q.has_result ? Result : Listen;
          if (!answer_q.has_result) all_q <= 1'b0;
        end
        default: if (result_valid_o && result_ready_i && result_last_o) answer_state_q <= Listen;
      endcase
    end
  end

  assign idle_o = job_state_q == Choose && busy_q == '0;

endmodule
