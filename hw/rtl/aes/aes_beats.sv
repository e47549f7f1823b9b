// SPDX-License-Identifier: Apache-2.0
// Makes beats of the bus of blocks, a beat a cycle, at any byte address. Used by aes_writer.
//
//   cycle         0    1    2    3    4    5    6        BusWidth 128, one block of message 0, offset 1
//   group_valid   1    1                                 two beats: the block's part, and its last byte
//   next_o             1                                 to message 0: its block is taken
//   part_q                  P    0
//   turned                            P'   0             by aes_byte_turn
//   W                                           b0   b1  the block's bytes, one byte later
//   strobe                                      FFFE 0001 not a byte beside the group
//
// A beat never stops between its beginning and the FIFO before the bus: one begins only when the FIFO has a place for it.
//
// Contract    message_i, offset_i and last_i are of the group that comes next, length_i the beats less one of its next burst;
//             all blocks of a group are here when it is. wipe_i: what follows has no strobes and no data; high until !busy_o,
//             when the FIFO is overwritten. W may change while it waits, when wipe_i rises.
// Parameters  BusWidth 64 or 128.
module aes_beats #(
  parameter  int unsigned Messages  = 4,
  parameter  int unsigned BusWidth  = 64,
  localparam int unsigned Bytes     = BusWidth / 8,
  localparam int unsigned BytesLog2 = $clog2(Bytes)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           wipe_i,
  output logic                           busy_o,

  input  logic                           group_valid_i,
  output logic                           group_ends_o,
  input  logic [Messages-1:0]            message_i,      // one bit: whose group it is
  input  logic [BytesLog2-1:0]           offset_i,       // of the first block in the first beat, and of the end in the last one
  input  logic [8-BytesLog2:0]           last_i,         // beat, from 0
  input  logic                           length_valid_i,
  output logic                           burst_ends_o,
  input  logic [8-BytesLog2:0]           length_i,

  input  aes_pkg::block_t [Messages-1:0] block_i,
  output logic [Messages-1:0]            next_o,

  output logic [BusWidth-1:0]            m_axi_wdata_o,
  output logic [BusWidth/8-1:0]          m_axi_wstrb_o,
  output logic                           m_axi_wlast_o,
  output logic                           m_axi_wvalid_o,
  input  logic                           m_axi_wready_i
);

  localparam int unsigned BeatWidth  = 9 - BytesLog2;
  localparam int unsigned PlacesLog2 = 4;              // of the FIFO: more than the cycles until a place is free again

  // What is known of a beat that has begun
  typedef struct packed {
    logic                 valid;
    logic                 first;       // of its group
    logic                 last;
    logic                 tail;        // the end of the block before it, and no other
    logic                 burst_last;
    logic [BytesLog2-1:0] offset;
  } known_t;

  // Begin
  logic [BeatWidth-1:0] beat_q, burst_beat_q;  // of the group, of the burst
  logic                 begins, first, last, tail, upper, room_q;

  assign begins       = group_valid_i && length_valid_i && room_q;
  assign first        = beat_q == '0;
  assign last         = beat_q == last_i;
  assign tail         = last && offset_i != '0;
  assign group_ends_o = begins && last;
  assign burst_ends_o = begins && burst_beat_q == length_i;
  assign upper        = BusWidth == 64 && beat_q[0];

  // Behind the beginning: a part of a block, turned, and merged with the part before it
  localparam int unsigned Steps = 4;
  known_t [Steps-1:0]                known_q;
  logic [1:0][Messages-1:0]          takes_q;                  // the lower or the upper half of whose block
  logic [BytesLog2-1:0]              turn_q;
  logic [BusWidth-1:0]               part, part_q, beat;
  logic [Bytes-1:0]                  behind, strobe_q;         // behind: bytes from the offset on
  known_t                            begun;
  // verilator lint_off UNUSEDSIGNAL
  known_t                            merges, merged;           // not all is used at each step
  // verilator lint_on UNUSEDSIGNAL

  assign begun  = '{valid: begins, first: first, last: last, tail: tail, burst_last: burst_ends_o, offset: offset_i};
  assign merges = known_q[Steps-2];
  assign behind = {Bytes{1'b1}} << merges.offset;
  assign merged = known_q[Steps-1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q       <= '0;
      burst_beat_q <= '0;
      known_q      <= '0;
      takes_q      <= '0;
      turn_q       <= '0;
      next_o       <= '0;
    end else begin
      if (begins) begin
        beat_q       <= last ? '0 : beat_q + BeatWidth'(1);
        burst_beat_q <= burst_ends_o ? '0 : burst_beat_q + BeatWidth'(1);
      end
      known_q <= {known_q[Steps-2:0], begun};
      takes_q <= tail ? '0 : upper ? {message_i, Messages'(0)} : {Messages'(0), message_i};
      turn_q  <= BytesLog2'(0) - known_q[0].offset;
      next_o  <= begins && !tail && (upper || BusWidth == 128) ? message_i : '0;
    end
  end

  always_comb begin
    part = '0;
    for (int unsigned m = 0; m < Messages; m++) begin
      if (takes_q[0][m]) part |= block_i[m][Bytes-1:0];
      if (takes_q[1][m]) part |= block_i[m][15:16-Bytes];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      part_q   <= '0;
      strobe_q <= '0;
    end else begin
      part_q   <= wipe_i ? '0 : part;  // SEC_CM: ERASE.WORKING_REGISTERS
      // SEC_CM: RESULT.BOUNDS
      strobe_q <= (merges.first ? behind : '1) & (merges.tail ? ~behind : '1);
    end
  end

  aes_byte_turn #(
    .BusWidth(BusWidth)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .data_i(part_q),
    .turn_i(turn_q),
    .here_i(merged.valid),
    .last_i(merged.last),
    .data_o(beat)
  );

  // The FIFO and its places
  typedef struct packed {
    logic                last;
    logic [Bytes-1:0]    strobe;
    logic [BusWidth-1:0] data;
  } beat_t;
  beat_t made, head;
  logic                leaves, left_q, overwrites_q;
  logic [PlacesLog2:0] taken_q;    // places
  logic [PlacesLog2:0] to_wipe_q;  // places that are not overwritten yet

  assign made   = '{last: merged.burst_last, strobe: wipe_i ? '0 : strobe_q, data: wipe_i ? '0 : beat};
  assign leaves = m_axi_wvalid_o && m_axi_wready_i;
  assign busy_o = taken_q != '0 || (wipe_i && to_wipe_q != '0);

  aes_block_fifo #(
    .Width($bits(beat_t)),
    .Log2 (PlacesLog2)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .wipe_i     (overwrites_q),
    .in_valid_i (merged.valid),
    .in_data_i  (made),
    .out_valid_o(m_axi_wvalid_o),
    .out_ready_i(m_axi_wready_i),
    .out_data_o (head)
  );

  assign m_axi_wlast_o = head.last;
  assign m_axi_wstrb_o = wipe_i ? '0 : head.strobe;
  assign m_axi_wdata_o = wipe_i ? '0 : head.data;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q       <= 1'b0;
      taken_q      <= '0;
      room_q       <= 1'b0;
      overwrites_q <= 1'b0;
      to_wipe_q    <= (PlacesLog2 + 1)'(1 << PlacesLog2);
    end else begin
      left_q       <= leaves;
      taken_q      <= taken_q + (PlacesLog2 + 1)'(begins) - (PlacesLog2 + 1)'(left_q);
      room_q       <= taken_q < (PlacesLog2 + 1)'((1 << PlacesLog2) - 1);  // one may begin before it is counted
      overwrites_q <= wipe_i && taken_q == '0 && !group_valid_i;
      if (!wipe_i) to_wipe_q <= (PlacesLog2 + 1)'(1 << PlacesLog2);
      else if (overwrites_q && to_wipe_q != '0) to_wipe_q <= to_wipe_q - (PlacesLog2 + 1)'(1);
    end
  end

endmodule
