// SPDX-License-Identifier: Apache-2.0
// Turns a beat of the bus, so that its byte `turn` becomes the first, over two registers, and merges it with the beat before
// it: blocks lie at any byte address, and a turn of up to 15 bytes at once would be four gates wide apart. Used by
// aes_reader and aes_beats.
//
//   cycle      0    1    2    3
//   data_i     A    B
//   turn_i     t    t
//   half_q          A'   B'         turned by whole words of four bytes
//   turned_q             A''  B''   byte j of A'' is byte (j + t) mod Bytes of A
//   here_i               1    1
//   data_o               A    AB    the first Bytes - t bytes are of the beat before, the others of this one
//
// Contract    A beat a cycle. here_i, two cycles behind a beat, says that it counts, last_i with it that the one that counts
//             next is merged with zeros. With a turn of 0 no byte is of the beat before. wipe_i overwrites all registers.
// Parameters  BusWidth 64 or 128.
module aes_byte_turn #(
  parameter  int unsigned BusWidth  = 64,
  localparam int unsigned Bytes     = BusWidth / 8,
  localparam int unsigned BytesLog2 = $clog2(Bytes)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 wipe_i,
  input  logic [BusWidth-1:0]  data_i,
  input  logic [BytesLog2-1:0] turn_i,
  input  logic                 here_i,
  input  logic                 last_i,
  output logic [BusWidth-1:0]  data_o
);

  logic [BusWidth-1:0]  half_q, turned_q, before_q;
  logic [BytesLog2-1:0] turn_q;
  logic [Bytes-1:0]     earlier_q;  // bytes that the beat before has

  function automatic logic [BusWidth-1:0] turned(logic [BusWidth-1:0] data, logic [BytesLog2-1:0] bytes);
    return BusWidth'({data, data} >> {bytes, 3'd0});
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q    <= '0;
      half_q    <= '0;
      turned_q  <= '0;
      before_q  <= '0;
      earlier_q <= '0;
    end else begin
      turn_q    <= turn_i;
      earlier_q <= ~({Bytes{1'b1}} << (BytesLog2'(0) - turn_q));
      // SEC_CM: ERASE.WORKING_REGISTERS
      half_q    <= wipe_i ? '0 : turned(data_i, {turn_i[BytesLog2-1:2], 2'd0});
      turned_q  <= wipe_i ? '0 : turned(half_q, BytesLog2'(turn_q[1:0]));
      if (here_i || wipe_i) before_q <= last_i || wipe_i ? '0 : turned_q;
    end
  end

  always_comb begin
    for (int unsigned i = 0; i < Bytes; i++) data_o[i*8+:8] = earlier_q[i] ? before_q[i*8+:8] : turned_q[i*8+:8];
  end

endmodule
