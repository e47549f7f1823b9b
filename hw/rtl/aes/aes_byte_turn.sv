// SPDX-License-Identifier: Apache-2.0
// Turns a beat of the bus, so that its byte `turn` becomes the first, over two registers: blocks lie at any byte address,
// and a turn of up to 15 bytes at once would be four gates wide apart.
//
//   cycle      0    1    2
//   data_i     A    B
//   turn_i     a    b
//   half_q          A'   B'    turned by whole words of four bytes
//   data_o               A''   byte j of A'' is byte (j + a) mod Bytes of A
//
// Contract    A beat a cycle; who knows which of them count keeps it beside. wipe_i overwrites both registers.
// Parameters  BusWidth 64 or 128.
module aes_byte_turn #(
  parameter  int unsigned BusWidth  = 64,
  localparam int unsigned BytesLog2 = $clog2(BusWidth / 8)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 wipe_i,
  input  logic [BusWidth-1:0]  data_i,
  input  logic [BytesLog2-1:0] turn_i,
  output logic [BusWidth-1:0]  data_o
);

  logic [BusWidth-1:0] half_q;
  logic [1:0]          turn_q;

  function automatic logic [BusWidth-1:0] turned(logic [BusWidth-1:0] data, logic [BytesLog2-1:0] bytes);
    return BusWidth'({data, data} >> {bytes, 3'd0});
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q <= '0;
      half_q <= '0;
      data_o <= '0;
    end else begin
      turn_q <= turn_i[1:0];
      // SEC_CM: ERASE.WORKING_REGISTERS
      half_q <= wipe_i ? '0 : turned(data_i, {turn_i[BytesLog2-1:2], 2'd0});
      data_o <= wipe_i ? '0 : turned(half_q, BytesLog2'(turn_q));
    end
  end

endmodule
