// SPDX-License-Identifier: Apache-2.0
// Sends bytes as a UART does: 8 data bits, low bit first, no parity, one stop bit, Divisor cycles each.
//
//   bits      idle   0   1 .. 8   9    0 ...
//   tx_o         1   0   data     1    0      the next byte's start bit comes at once, if there is one
//
// Contract    ready_o: the byte is taken in this cycle if valid_i. Reset: the line is idle.
module uart_transmit #(
  parameter int unsigned Divisor = 434  // cycles of a bit, at least 2
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,
  output logic       tx_o
);

  localparam int unsigned Width = $clog2(Divisor);
  if (Divisor < 2) begin : gen_bad_divisor
    $fatal(1, "uart_transmit: Divisor must be at least 2");
  end

  logic [8:0] shift_q;           // data and stop bit, behind the one on the line
  logic [3:0] left_q;            // bits that are not over
  logic [Width-1:0] cycles_q;    // of the bit on the line, that are left
  logic bit_ends;
  assign bit_ends = cycles_q == '0;
  assign ready_o = left_q == '0 || (left_q == 4'd1 && bit_ends);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shift_q  <= '1;
      left_q   <= '0;
      cycles_q <= '0;
      tx_o     <= 1'b1;
    end else if (ready_o) begin
      tx_o     <= !valid_i;
      shift_q  <= {1'b1, data_i};
      left_q   <= valid_i ? 4'd10 : 4'd0;
      cycles_q <= Width'(Divisor - 1);
    end else if (bit_ends) begin
      tx_o     <= shift_q[0];
      shift_q  <= {1'b1, shift_q[8:1]};
      left_q   <= left_q - 4'd1;
      cycles_q <= Width'(Divisor - 1);
    end else begin
      cycles_q <= cycles_q - Width'(1);
    end
  end

endmodule
