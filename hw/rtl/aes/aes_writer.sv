// SPDX-License-Identifier: Apache-2.0
// Writes the blocks of an AES engine's messages in turn, to any byte address, a beat of the bus a cycle. Between
// aes_message and aes_bus: makes bursts of groups of blocks; aes_beats makes their data.
//
//   cycle       0    1    2    3    4    5    6   ..  k    k+1  k+2  k+3   BusWidth 128, one block, address_i = 16n + 1
//   valid_i     1
//   AW                                        B                            from 16n on, two beats; W may come before it
//   next_o                                   ..  1                         the block has been taken
//   W                                        ..       b0   b1
//   end_o                                                            1     the bus has answered; failed_o: with an error
//
// Contract    A group is offered when all its blocks are here. Groups are written in the order in which they were taken,
//             several under way, without a pause between them. No byte outside of a group is written. wipe_i: nothing more
//             is written, what is still sent has no strobes; high until !busy_o. BREADY is never low.
// Parameters  BusWidth 64 or 128. MaxBeats: see burst_address.
module aes_writer
  import bus_pkg::*;
#(
  parameter  int unsigned Messages     = 4,
  parameter  int unsigned BusWidth     = 64,
  parameter  int unsigned MaxBeats     = 64,
  localparam int unsigned MessageWidth = Messages > 1 ? $clog2(Messages) : 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           wipe_i,
  output logic                           busy_o,

  input  logic [Messages-1:0]            valid_i,
  output logic [Messages-1:0]            ready_o,
  input  logic [Messages-1:0][63:0]      address_i,
  input  logic [Messages-1:0][4:0]       blocks_i,
  input  aes_pkg::block_t [Messages-1:0] block_i,
  output logic [Messages-1:0]            next_o,
  output logic [Messages-1:0]            end_o,
  output logic                           failed_o,

  output axi_write_request_t             m_axi_o,
  output logic [BusWidth-1:0]            m_axi_wdata_o,
  output logic [BusWidth/8-1:0]          m_axi_wstrb_o,
  input  axi_write_response_t            m_axi_i
);

  localparam int unsigned BytesLog2 = $clog2(BusWidth / 8);
  localparam int unsigned BeatWidth = 9 - BytesLog2;  // a group has 16 blocks, and a beat more

  typedef struct packed {
    logic [MessageWidth-1:0] message;
    logic [BytesLog2-1:0]    offset;  // of the first block in the first beat, and of the end in the last one
    logic [BeatWidth-1:0]    last;    // beat, from 0
  } group_t;

  typedef struct packed {
    logic [MessageWidth-1:0] message;
    logic                    last;    // burst of its group
  } answer_t;

  // Groups
  logic         asked, asking_valid, command_ready, plan_ready, plan_valid;
  logic [63:0]  address;
  logic [7:0]   beats;
  group_t       asking, group;

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
    .group_ready_i(plan_ready && command_ready),
    .message_o    (asking.message),
    .address_o    (address),
    .offset_o     (asking.offset),
    .beats_o      (beats)
  );

  assign asked       = asking_valid && plan_ready && command_ready;
  assign asking.last = BeatWidth'(beats - 8'd1);

  // message_q: of the group whose bursts are made
  logic [MessageWidth-1:0] message_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) message_q <= '0;
    else if (asked) message_q <= asking.message;
  end

  // Bursts: their lengths go to the data, their ends wait for an answer
  logic                 burst_valid, burst_ready, burst_last, length_ready, length_valid, answer_ready, answer_valid;
  logic                 burst_ends, address_ready;
  logic [63:0]          burst_address;
  logic [7:0]           burst_length;
  logic [BeatWidth-1:0] length;
  answer_t              answer, expected;

  assign expected = '{message: message_q, last: burst_last};

  // An address waits for the bus in a register of its own: AWREADY comes from far, and what begins here is wide
  assign burst_ready = address_ready && length_ready && answer_ready;

  stage #(
    .Width(64 + 8)
  ) u_address (
    .clk_i,
    .rst_ni,
    .in_valid_i (burst_valid && length_ready && answer_ready),
    .in_ready_o (address_ready),
    .in_data_i  ({burst_address, burst_length}),
    .out_valid_o(m_axi_o.awvalid),
    .out_ready_i(m_axi_i.awready),
    .out_data_o ({m_axi_o.awaddr, m_axi_o.awlen})
  );

  burst_address #(
    .BytesLog2(BytesLog2),
    .MaxBeats (MaxBeats)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .command_valid_i  (asking_valid && plan_ready),
    .command_ready_o  (command_ready),
    .command_address_i(address),
    .command_beats_i  (beats),
    .burst_valid_o    (burst_valid),
    .burst_ready_i    (burst_ready),
    .burst_address_o  (burst_address),
    .burst_length_o   (burst_length),
    .burst_last_o     (burst_last)
  );

  registered_fifo #(
    .Width(BeatWidth),
    .Depth(4)
  ) u_lengths (
    .clk_i,
    .rst_ni,
    .in_valid_i (burst_valid && burst_ready),
    .in_ready_o (length_ready),
    .in_data_i  (BeatWidth'(burst_length)),
    .out_valid_o(length_valid),
    .out_ready_i(burst_ends),
    .out_data_o (length)
  );

  registered_fifo #(
    .Width($bits(answer_t)),
    .Depth(8)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .in_valid_i (burst_valid && burst_ready),
    .in_ready_o (answer_ready),
    .in_data_i  (expected),
    .out_valid_o(answer_valid),
    .out_ready_i(m_axi_i.bvalid),
    .out_data_o (answer)
  );

  logic group_ends;
  registered_fifo #(
    .Width($bits(group_t)),
    .Depth(4)
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

  // Data
  logic [Messages-1:0] whose;
  logic                beats_busy;
  always_comb begin
    whose                = '0;
    whose[group.message] = 1'b1;
  end

  aes_beats #(
    .Messages(Messages),
    .BusWidth(BusWidth)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .busy_o        (beats_busy),
    .group_valid_i (plan_valid),
    .group_ends_o  (group_ends),
    .message_i     (whose),
    .offset_i      (group.offset),
    .last_i        (group.last),
    .length_valid_i(length_valid),
    .burst_ends_o  (burst_ends),
    .length_i      (length),
    .block_i,
    .next_o,
    .m_axi_wdata_o,
    .m_axi_wstrb_o,
    .m_axi_wlast_o (m_axi_o.wlast),
    .m_axi_wvalid_o(m_axi_o.wvalid),
    .m_axi_wready_i(m_axi_i.wready)
  );

  // Answers
  logic failed_q, failed;  // an earlier burst of the group; this one or that
  assign failed   = failed_q || m_axi_i.bresp != AxiOkay;
  assign busy_o   = asking_valid || plan_valid || beats_busy || answer_valid || burst_valid || !command_ready ||
                    m_axi_o.awvalid;
  assign m_axi_o.bready = 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      failed_q <= 1'b0;
      end_o    <= '0;
      failed_o <= 1'b0;
    end else begin
      if (m_axi_i.bvalid) failed_q <= !answer.last && failed;
      end_o                 <= '0;
      end_o[answer.message] <= m_axi_i.bvalid && answer.last;
      failed_o              <= failed;
    end
  end

endmodule
