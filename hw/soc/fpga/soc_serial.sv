// SPDX-License-Identifier: Apache-2.0
// The system on chip with its console on a serial line: what an FPGA has, but for clock, pads and lights.
//
//   rx_i ── uart_receive ── queue ──> soc: console_data_i     a byte of the firmware's console is on the line when the
//   tx_o ── uart_transmit ── queue <── soc: console_data_o    queue comes to it, 10 * Divisor cycles each
//
// The console's registers are those of the simulation, which cannot hold the firmware up; so the queues have to hold what
// comes at once: an answer is a line of at most 700 bytes, a command of at most 6,000, which the firmware reads faster
// than the line brings it.
//
// Contract    lost_o: a byte was lost, in either direction, or one came that is none; stopped_o: the firmware has stopped,
//             with stop_code_o. Both until reset. Reset: asynchronous, to be released in step.
module soc_serial #(
  parameter int unsigned Words   = 65536,  // of memory
  parameter int unsigned W       = 18,     // bits of a word of core and multiplier
  parameter int unsigned Rows    = 8,      // of both
  parameter int unsigned Divisor = 434,    // cycles of a bit on the line
  parameter int unsigned Queue   = 2048    // bytes
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       rx_i,
  output logic       tx_o,
  output logic       lost_o,
  output logic       stopped_o,
  output logic [7:0] stop_code_o
);

  logic out_valid, in_valid, in_take, stop_valid;
  logic [7:0] out_data, in_data;
  /* verilator lint_off UNUSEDSIGNAL */ // the top of the code
  logic [31:0] stop_code;
  /* verilator lint_on UNUSEDSIGNAL */
  soc #(.Words(Words), .W(W), .Rows(Rows)) u_soc (
    .clk_i, .rst_ni, .console_valid_o(out_valid), .console_data_o(out_data), .console_valid_i(in_valid),
    .console_data_i(in_data), .console_take_o(in_take), .stop_valid_o(stop_valid), .stop_code_o(stop_code),
    .fault_i('0)
  );

  logic send_valid, send_ready, received, broken, out_lost, in_lost;
  logic [7:0] send_data, received_data;
  byte_queue #(.Depth(Queue)) u_out (
    .clk_i, .rst_ni, .put_i(out_valid), .data_i(out_data), .lost_o(out_lost), .valid_o(send_valid), .data_o(send_data),
    .take_i(send_valid && send_ready)
  );
  uart_transmit #(.Divisor(Divisor)) u_transmit (
    .clk_i, .rst_ni, .valid_i(send_valid), .ready_o(send_ready), .data_i(send_data), .tx_o
  );
  uart_receive #(.Divisor(Divisor)) u_receive (
    .clk_i, .rst_ni, .rx_i, .valid_o(received), .data_o(received_data), .broken_o(broken)
  );
  byte_queue #(.Depth(Queue)) u_in (
    .clk_i, .rst_ni, .put_i(received), .data_i(received_data), .lost_o(in_lost), .valid_o(in_valid), .data_o(in_data),
    .take_i(in_take)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lost_o      <= 1'b0;
      stopped_o   <= 1'b0;
      stop_code_o <= '0;
    end else begin
      if (out_lost || in_lost || broken) lost_o <= 1'b1;
      if (stop_valid && !stopped_o) begin
        stopped_o   <= 1'b1;
        stop_code_o <= stop_code[7:0];
      end
    end
  end

endmodule
