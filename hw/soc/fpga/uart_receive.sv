// SPDX-License-Identifier: Apache-2.0
// Receives what uart_transmit sends: looks at each bit in its middle.
//
//   bits      idle   0   1 .. 8   9
//   rx_i         1   0   data     1
//   looked at        ^   ^    ^   ^     in the middle; then valid_o for a cycle, or broken_o if the stop bit is 0
//
// Contract    rx_i may change at any time: two flip-flops take it over. The sender's bits are as long as ours within 4 %.
//             A start bit that is over before its middle is none. Reset: a byte under way is dropped.
module uart_receive #(
  parameter int unsigned Divisor = 434  // cycles of a bit, at least 4
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       rx_i,
  output logic       valid_o,
  output logic [7:0] data_o,
  output logic       broken_o
);

  localparam int unsigned Width = $clog2(Divisor);
  if (Divisor < 4) begin : gen_bad_divisor
    $fatal(1, "uart_receive: Divisor must be at least 4");
  end

  logic [1:0] line_q;
  logic receiving_q, middle;
  logic [3:0] left_q;          // bits that have not been looked at
  logic [Width-1:0] cycles_q;  // to the next middle
  assign middle = cycles_q == '0;

  always_ff @(posedge clk_i) begin
    if (receiving_q && middle && left_q != '0) data_o <= {line_q[1], data_o[7:1]};  // not of the stop bit
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      line_q      <= '1;
      receiving_q <= 1'b0;
      left_q      <= '0;
      cycles_q    <= '0;
      valid_o     <= 1'b0;
      broken_o    <= 1'b0;
    end else begin
      line_q   <= {line_q[0], rx_i};
      valid_o  <= 1'b0;
      broken_o <= 1'b0;
      if (!receiving_q) begin
        receiving_q <= !line_q[1];
        left_q      <= 4'd9;
        cycles_q    <= Width'(Divisor / 2 - 1);
      end else if (!middle) begin
        cycles_q <= cycles_q - Width'(1);
      end else begin
        cycles_q <= Width'(Divisor - 1);
        left_q   <= left_q - 4'd1;
        if (left_q == 4'd9) receiving_q <= !line_q[1];
        if (left_q == '0) begin
          receiving_q <= 1'b0;
          valid_o     <= line_q[1];
          broken_o    <= !line_q[1];
        end
      end
    end
  end

endmodule
