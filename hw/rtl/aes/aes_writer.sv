// SPDX-License-Identifier: Apache-2.0
// Writes the blocks of an AES engine's messages in turn, to any byte address, a beat of the bus a cycle. Between
// aes_message and aes_bus: makes bursts and beats of groups of blocks.
//
//   cycle       0    1    2    3    4    5             BusWidth 128, one block, address_i = 16n + 1
//   valid_i     1
//   AW                              B                  from 16n on, two beats; W may come before it
//   next_o                          1                  the block has been taken
//   W                                    b0   b1       the block's bytes, one byte later
//   strobe                               FFFE 0001     not a byte beside the group
//   end_o                                         ..1  the bus has answered; failed_o: with an error
//
// Contract    A group is offered when all its blocks are here. Groups are written in the order in which they were taken,
//             several under way, without a pause between them. No byte outside of a group is written. wipe_i: nothing more
//             is written, beats of groups under way have no strobes; high until !busy_o. BREADY is never low.
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

  output logic [63:0]                    m_axi_awaddr_o,
  output logic [7:0]                     m_axi_awlen_o,
  output logic                           m_axi_awvalid_o,
  input  logic                           m_axi_awready_i,
  output logic [BusWidth-1:0]            m_axi_wdata_o,
  output logic [BusWidth/8-1:0]          m_axi_wstrb_o,
  output logic                           m_axi_wlast_o,
  output logic                           m_axi_wvalid_o,
  input  logic                           m_axi_wready_i,
  input  logic [1:0]                     m_axi_bresp_i,
  input  logic                           m_axi_bvalid_i
);

  localparam int unsigned Bytes     = BusWidth / 8;
  localparam int unsigned BytesLog2 = $clog2(Bytes);

  typedef struct packed {
    logic [MessageWidth-1:0] message;
    logic [BytesLog2-1:0]    offset;  // of the first block in the first beat, and of the end in the last one
    logic [7:0]              beats;
  } group_t;

  typedef struct packed {
    logic [MessageWidth-1:0] message;
    logic                    last;    // burst of its group
  } answer_t;

  // Groups
  logic [MessageWidth-1:0] chosen;
  logic                    any, asked, command_ready, plan_ready, plan_valid;
  logic [63:0]             address;
  group_t                  asking, group;

  axi_turn #(
    .Masters(Messages),
    .Width  (MessageWidth)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .asks_i  (valid_i),
    .taken_i (asked),
    .any_o   (any),
    .chosen_o(chosen)
  );

  assign address = address_i[chosen];
  assign asked   = any && plan_ready && command_ready;
  assign asking  = '{message: chosen, offset: address[BytesLog2-1:0],
                     beats: 8'((10'({blocks_i[chosen], 4'd0}) + 10'(address[BytesLog2-1:0]) + 10'(Bytes - 1)) >> BytesLog2)};

  always_comb begin
    ready_o         = '0;
    ready_o[chosen] = asked;
  end

  // message_q: of the group whose bursts are made
  logic [MessageWidth-1:0] message_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) message_q <= '0;
    else if (asked) message_q <= chosen;
  end

  // Bursts: their lengths go to the data, their ends wait for an answer
  logic       burst_valid, burst_ready, burst_last, length_ready, length_valid, answer_ready, answer_valid, burst_ends;
  logic [7:0] burst_length, length;
  answer_t    answer, expected;

  assign expected = '{message: message_q, last: burst_last};

  assign m_axi_awvalid_o = burst_valid && length_ready && answer_ready;
  assign burst_ready     = m_axi_awready_i && length_ready && answer_ready;
  assign m_axi_awlen_o   = burst_length;

  burst_address #(
    .BytesLog2(BytesLog2),
    .MaxBeats (MaxBeats)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .command_valid_i  (any && plan_ready),
    .command_ready_o  (command_ready),
    .command_address_i({address[63:BytesLog2], BytesLog2'(0)}),
    .command_beats_i  (asking.beats),
    .burst_valid_o    (burst_valid),
    .burst_ready_i    (burst_ready),
    .burst_address_o  (m_axi_awaddr_o),
    .burst_length_o   (burst_length),
    .burst_last_o     (burst_last)
  );

  fifo #(
    .Width(8),
    .Depth(4)
  ) u_lengths (
    .clk_i,
    .rst_ni,
    .in_valid_i (burst_valid && burst_ready),
    .in_ready_o (length_ready),
    .in_data_i  (burst_length),
    .out_valid_o(length_valid),
    .out_ready_i(burst_ends),
    .out_data_o (length)
  );

  fifo #(
    .Width($bits(answer_t)),
    .Depth(8)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .in_valid_i (burst_valid && burst_ready),
    .in_ready_o (answer_ready),
    .in_data_i  (expected),
    .out_valid_o(answer_valid),
    .out_ready_i(m_axi_bvalid_i),
    .out_data_o (answer)
  );

  logic group_ends;
  fifo #(
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

  // Beats out of blocks
  logic [7:0]          beat_q, burst_beat_q;  // of the group, of the burst
  logic                makes, first, last, takes, block_ends;
  logic [BusWidth-1:0] before_q, part, beat;
  logic [Bytes-1:0]    behind;                // bytes from the group's offset on
  aes_pkg::block_t     block;

  assign makes      = plan_valid && length_valid && (!m_axi_wvalid_o || m_axi_wready_i);
  assign first      = beat_q == '0;
  assign last       = beat_q == group.beats - 8'd1;
  assign takes      = !(last && group.offset != '0);
  assign group_ends = makes && last;
  assign burst_ends = makes && burst_beat_q == length;
  assign block      = block_i[group.message];
  assign beat       = BusWidth'({takes ? part : BusWidth'(0), first ? BusWidth'(0) : before_q} >>
                                (8'(BusWidth) - 8'({group.offset, 3'd0})));
  assign behind     = {Bytes{1'b1}} << group.offset;

  if (BusWidth == 128) begin : gen_block
    assign part       = block;
    assign block_ends = takes;
  end else begin : gen_halves
    logic upper;
    assign upper      = beat_q[0];
    assign part       = upper ? block[15:8] : block[7:0];
    assign block_ends = takes && upper;
  end

  always_comb begin
    next_o                = '0;
    next_o[group.message] = makes && block_ends;
    end_o                 = '0;
    end_o[answer.message] = m_axi_bvalid_i && answer.last;
  end

  // SEC_CM: RESULT.BOUNDS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q         <= '0;
      burst_beat_q   <= '0;
      before_q       <= '0;
      m_axi_wvalid_o <= 1'b0;
      m_axi_wlast_o  <= 1'b0;
      m_axi_wdata_o  <= '0;
      m_axi_wstrb_o  <= '0;
    end else begin
      if (m_axi_wready_i) m_axi_wvalid_o <= 1'b0;
      if (makes) begin
        beat_q         <= last ? '0 : beat_q + 8'd1;
        burst_beat_q   <= burst_ends ? '0 : burst_beat_q + 8'd1;
        before_q       <= part;
        m_axi_wvalid_o <= 1'b1;
        m_axi_wlast_o  <= burst_ends;
        m_axi_wdata_o  <= beat;
        m_axi_wstrb_o  <= (first ? behind : '1) & (last && group.offset != '0 ? ~behind : '1);
      end
      if (wipe_i) begin  // a beat on offer does not change
        before_q <= '0;
        if (!m_axi_wvalid_o || m_axi_wready_i) begin
          m_axi_wdata_o <= '0;
          m_axi_wstrb_o <= '0;
        end
      end
    end
  end

  // Answers
  logic failed_q;  // an earlier burst of the group
  assign failed_o = failed_q || m_axi_bresp_i != AxiOkay;
  assign busy_o   = plan_valid || m_axi_wvalid_o || answer_valid || burst_valid || !command_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) failed_q <= 1'b0;
    else if (m_axi_bvalid_i) failed_q <= !answer.last && failed_o;
  end

endmodule
