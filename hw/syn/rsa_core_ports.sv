// SPDX-License-Identifier: Apache-2.0
// `rsa_core` with a register at every port, for placement alone: inputs come from a shift register, outputs go through
// another, so that four pads are enough. So all paths at the ports are timed, and no port is pulled to the edge of the
// die, where it is not in a device either: `garner_top` is between it and the pads.
module rsa_core_ports
  import garner_pkg::*;
#(
  parameter int unsigned W        = 18,
  parameter int unsigned Rows     = 15,
  parameter int unsigned MaxBits  = 4096,
  parameter int unsigned KeySlots = 4
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,
  input  logic load_i,
  output logic bit_o
);

  typedef struct packed {
    logic                 job_valid;
    job_t                 job;
    logic                 in_valid;
    logic [DataWidth-1:0] in_data;
    logic                 in_last;
    logic                 response_ready;
    logic                 out_ready;
    logic                 zeroise;
  } in_t;
  typedef struct packed {
    logic                 job_ready;
    logic                 in_ready;
    logic                 response_valid;
    response_t            response;
    logic                 out_valid;
    logic [DataWidth-1:0] out_data;
    logic                 out_last;
    logic                 busy;
  } out_t;

  in_t in_q;
  out_t out, out_q, shift_q;
  assign bit_o = shift_q[$bits(out_t)-1];
  always_ff @(posedge clk_i) begin
    in_q    <= in_t'({in_q, bit_i});
    out_q   <= out;
    shift_q <= load_i ? out_q : out_t'({shift_q, 1'b0});
  end

  rsa_core #(.W(W), .Rows(Rows), .MaxBits(MaxBits), .KeySlots(KeySlots)) u_core (
    .clk_i, .rst_ni,
    .job_valid_i(in_q.job_valid), .job_ready_o(out.job_ready), .job_i(in_q.job),
    .in_valid_i(in_q.in_valid), .in_ready_o(out.in_ready), .in_data_i(in_q.in_data), .in_last_i(in_q.in_last),
    .response_valid_o(out.response_valid), .response_ready_i(in_q.response_ready), .response_o(out.response),
    .out_valid_o(out.out_valid), .out_ready_i(in_q.out_ready), .out_data_o(out.out_data), .out_last_o(out.out_last),
    .zeroise_i(in_q.zeroise), .busy_o(out.busy)
  );

endmodule
