// SPDX-License-Identifier: Apache-2.0
// Reads the blocks of an AES engine's messages in turn, from any byte address, a beat of the bus a cycle. Between
// aes_message and aes_bus: makes bursts of groups of blocks, and blocks of beats.
//
//   cycle       0    1    2    3    4    5   ..   k    k+1  k+2  k+3  k+4  k+5   BusWidth 128, address_i = 16n + 1: 15 bytes
//   valid_i     1                                                                of the block in the first beat, its last
//   AR                                   B                                       one in a second: from 16n on, two beats
//   R                                             b0   b1
//   turned                                                       b0   b1         by a byte, so that the block's parts are
//   block_o                                                                B     in their place
//
// Contract    Groups are read in the order in which they were taken, several under way. end_o is a pulse with the last
//             block of a group, failed_o with it: some of it could not be read. RREADY is never low. wipe_i: beats that
//             come are forgotten; whoever reads is still told the end.
// Parameters  BusWidth 64 or 128. MaxBeats: see burst_address.
module aes_reader
  import bus_pkg::*;
#(
  parameter  int unsigned Messages     = 4,
  parameter  int unsigned BusWidth     = 64,
  parameter  int unsigned MaxBeats     = 64,
  localparam int unsigned MessageWidth = Messages > 1 ? $clog2(Messages) : 1
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      wipe_i,
  output logic                      quiet_o,

  input  logic [Messages-1:0]       valid_i,
  output logic [Messages-1:0]       ready_o,
  input  logic [Messages-1:0][63:0] address_i,
  input  logic [Messages-1:0][4:0]  blocks_i,
  output logic [Messages-1:0]       end_o,
  output logic                      failed_o,
  output logic [Messages-1:0]       block_valid_o,
  output aes_pkg::block_t           block_o,

  output axi_read_request_t         m_axi_o,
  input  axi_read_response_t        m_axi_i,
  input  logic [BusWidth-1:0]       m_axi_rdata_i
);

  localparam int unsigned Bytes     = BusWidth / 8;
  localparam int unsigned BytesLog2 = $clog2(Bytes);
  localparam int unsigned BeatWidth = 9 - BytesLog2;  // a group has 16 blocks, and a beat more

  typedef struct packed {
    logic [MessageWidth-1:0] message;
    logic [BytesLog2-1:0]    offset;  // of the first block in the first beat
    logic [BeatWidth-1:0]    last;    // beat, from 0
  } group_t;

  logic                asked, asking_valid, burst_ready, plan_ready, plan_valid, burst_last;
  logic [63:0]         address;
  logic [7:0]          beats;
  group_t              asking, group;

  aes_groups #(
    .Messages(Messages),
    .BusWidth(BusWidth)
  ) u_groups (
    .clk_i,
    .rst_ni,
    .valid_i,
    .ready_o,
    .address_i,
    .blocks_i,
    .group_valid_o(asking_valid),
    .group_ready_i(plan_ready && burst_ready),
    .message_o    (asking.message),
    .address_o    (address),
    .offset_o     (asking.offset),
    .beats_o      (beats)
  );

  assign asked          = asking_valid && plan_ready && burst_ready;
  assign asking.last    = BeatWidth'(beats - 8'd1);
  assign m_axi_o.rready = 1'b1;
  assign quiet_o        = !plan_valid && !asking_valid;

  burst_address #(
    .BytesLog2(BytesLog2),
    .MaxBeats (MaxBeats)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .command_valid_i  (asking_valid && plan_ready),
    .command_ready_o  (burst_ready),
    .command_address_i(address),
    .command_beats_i  (beats),
    .burst_valid_o    (m_axi_o.arvalid),
    .burst_ready_i    (m_axi_i.arready),
    .burst_address_o  (m_axi_o.araddr),
    .burst_length_o   (m_axi_o.arlen),
    .burst_last_o     (burst_last)
  );

  logic group_ends;
  registered_fifo #(
    .Width($bits(group_t)),
    .Depth(8)
  ) u_plan (
    .clk_i,
    .rst_ni,
    .in_valid_i (asked),
    .in_ready_o (plan_ready),
    .in_data_i  (asking),
    .out_valid_o(plan_valid),
    .out_ready_i(group_ends),
    .out_data_o (group)
  );

  // Beats come over a register, and meet the group they belong to
  logic                    here_q, faulty_q;
  logic [BusWidth-1:0]     data_q;
  logic [BeatWidth-1:0]    beat_q;    // of the group
  logic                    failed_q;  // an earlier beat of it
  logic                    first;

  assign first      = beat_q == '0;
  assign group_ends = here_q && beat_q == group.last;

  // Then what is to be known of them is in flip-flops, while they are turned
  typedef struct packed {
    logic                    here;
    logic                    whole;    // with it, a part of a block is
    logic                    ends;     // its group
    logic                    failed;   // that beat, or one before it
    logic [MessageWidth-1:0] message;
  } beat_t;
  beat_t                known_q, turned_q;
  logic [BusWidth-1:0]  part;              // of a block, merged of two beats

  aes_byte_turn #(
    .BusWidth(BusWidth)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .data_i(data_q),
    .turn_i(group.offset),
    .here_i(turned_q.here),
    .last_i(turned_q.ends),
    .data_o(part)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      here_q    <= 1'b0;
      faulty_q  <= 1'b0;
      data_q    <= '0;
      beat_q    <= '0;
      failed_q  <= 1'b0;
      known_q   <= '0;
      turned_q  <= '0;
    end else begin
      here_q   <= m_axi_i.rvalid;
      faulty_q <= m_axi_i.rresp != AxiOkay;
      data_q   <= wipe_i ? '0 : m_axi_rdata_i;  // SEC_CM: ERASE.WORKING_REGISTERS
      if (here_q) begin
        beat_q   <= group_ends ? '0 : beat_q + BeatWidth'(1);
        failed_q <= !group_ends && (failed_q || faulty_q);
      end
      known_q <= '{here: here_q,
                   whole: here_q && !(first && group.offset != '0),
                   ends: group_ends,
                   failed: failed_q || faulty_q,
                   message: group.message};
      turned_q <= known_q;
    end
  end

  // Blocks out of beats
  logic            block_ends;
  aes_pkg::block_t block_q;

  assign block_o = block_q;

  if (BusWidth == 128) begin : gen_block
    assign block_ends = turned_q.whole;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) block_q <= '0;
      else if (turned_q.whole || wipe_i) block_q <= wipe_i ? '0 : part;
    end
  end else begin : gen_halves
    logic upper_q;
    assign block_ends = turned_q.whole && upper_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        block_q <= '0;
        upper_q <= 1'b0;
      end else begin
        if (turned_q.whole) upper_q <= !upper_q;
        if (turned_q.whole || wipe_i) block_q <= wipe_i ? '0 : {part, block_q[15:8]};
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      block_valid_o <= '0;
      end_o         <= '0;
      failed_o      <= 1'b0;
    end else begin
      block_valid_o                   <= '0;
      end_o                           <= '0;
      block_valid_o[turned_q.message] <= block_ends && !wipe_i;
      end_o[turned_q.message]         <= turned_q.ends;
      failed_o                        <= turned_q.failed;
    end
  end

  logic unused;
  assign unused = &{burst_last, m_axi_i.rlast};

endmodule
