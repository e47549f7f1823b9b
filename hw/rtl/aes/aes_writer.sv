// SPDX-License-Identifier: Apache-2.0
// Writes the blocks of an AES engine's messages in turn, to any byte address. Between aes_message and dma_write, whose
// commands and words it makes of groups of blocks; what dma_write says of the bytes of a beat goes through here.
//
//   cycle       0    1    2    3    4    5    6    7             address_i = 8n + 1
//   valid_i     1
//   command          W                                           from 8n on, five words for a block
//   word                  w0   w1   w2   w3   w4                 the block's bytes, one byte later
//   next_o                               1                       the block has been taken
//   strobe_o                   FE        FF        01            of the beats: not a byte beside the group
//   end_o                                               1        the bus has answered; failed_o: with an error
//
// Contract    No byte outside of a group is written. wipe_i: nothing more is written, beats of a group under way have no
//             strobes. Only while busy_o beats are of this module.
module aes_writer #(
  parameter  int unsigned Messages     = 4,
  localparam int unsigned MessageWidth = Messages > 1 ? $clog2(Messages) : 1
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 wipe_i,
  output logic                                 busy_o,

  input  logic [Messages-1:0]                  valid_i,
  output logic [Messages-1:0]                  ready_o,
  input  logic [Messages-1:0][63:0]            address_i,
  input  logic [Messages-1:0][4:0]             blocks_i,
  input  aes_pkg::block_t [Messages-1:0]       block_i,
  output logic [Messages-1:0]                  next_o,
  output logic [Messages-1:0]                  end_o,
  output logic                                 failed_o,

  output logic                                 command_valid_o,
  input  logic                                 command_ready_i,
  output logic [63:0]                          command_address_o,
  output logic [15:0]                          command_words_o,
  output logic                                 write_valid_o,
  input  logic                                 write_ready_i,
  output logic [31:0]                          write_data_o,
  input  logic                                 write_done_i,
  input  logic                                 write_error_i,

  input  logic                                 beat_valid_i,   // W of the bus
  input  logic                                 beat_ready_i,
  input  logic [7:0]                           beat_strobe_i,
  output logic [7:0]                           strobe_o
);

  typedef enum logic [1:0] {
    Idle,
    Command,
    Data
  } state_e;

  state_e                  state_q;
  logic [MessageWidth-1:0] message_q, next_q, chosen;
  logic                    any, lead_q, moves, forget_q;
  logic [63:0]             address_q;
  logic [4:0]              blocks_q, left_q;
  logic [1:0]              place_q;   // word of the block
  logic [31:0]             before_q, word;
  logic [8:0]              bytes;     // from the first beat's first byte to the group's last
  logic [6:0]              words, words_q;
  logic [5:0]              beats, beat_q;
  logic [7:0]              first_mask, last_mask;

  always_comb begin
    any    = 1'b0;
    chosen = '0;
    for (int unsigned i = 0; i < 2 * Messages; i++) begin
      if (!any && valid_i[i % Messages] && (i >= Messages || i >= 32'(next_q))) begin
        any    = 1'b1;
        chosen = MessageWidth'(i % Messages);
      end
    end
  end

  assign busy_o            = state_q != Idle;
  assign bytes             = {blocks_q, 4'd0} + 9'(address_q[2:0]);
  assign words             = 7'((10'(bytes) + 10'd3) >> 2);
  assign beats             = 6'((10'(bytes) + 10'd7) >> 3);
  assign command_valid_o   = state_q == Command;
  assign command_address_o = {address_q[63:3], 3'd0};
  assign command_words_o   = 16'(words);
  assign write_valid_o     = state_q == Data && words_q != '0;
  assign moves             = write_valid_o && write_ready_i;
  assign word              = left_q == '0 ? '0 : block_i[message_q][{place_q, 2'd0}+:4];
  assign write_data_o      = lead_q || wipe_i ? '0 : 32'({word, before_q} >> (6'd32 - {1'b0, address_q[1:0], 3'd0}));

  always_comb begin
    ready_o            = '0;
    next_o             = '0;
    end_o              = '0;
    ready_o[chosen]    = state_q == Idle && any;
    next_o[message_q]  = moves && !lead_q && left_q != '0 && place_q == 2'd3;
    end_o[message_q]   = state_q == Data && write_done_i;
  end
  assign failed_o = write_error_i;

  assign first_mask = 8'hFF << address_q[2:0];
  assign last_mask  = bytes[2:0] == 3'd0 ? 8'hFF : ~(8'hFF << bytes[2:0]);
  assign strobe_o   = beat_strobe_i & (beat_q == '0 ? first_mask : 8'hFF) & (beat_q == beats - 6'd1 ? last_mask : 8'hFF) &
                      {8{!forget_q}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      message_q <= '0;
      next_q    <= '0;
      address_q <= '0;
      blocks_q  <= '0;
      left_q    <= '0;
      lead_q    <= 1'b0;
      place_q   <= '0;
      before_q  <= '0;
      words_q   <= '0;
      beat_q    <= '0;
      forget_q  <= 1'b0;
    end else begin
      unique case (state_q)
        Idle: if (any) begin
          state_q   <= Command;
          message_q <= chosen;
          next_q    <= chosen == MessageWidth'(Messages - 1) ? '0 : chosen + MessageWidth'(1);
          address_q <= address_i[chosen];
          blocks_q  <= blocks_i[chosen];
        end
        Command: begin
          left_q   <= blocks_q;
          lead_q   <= address_q[2];
          place_q  <= '0;
          before_q <= '0;
          words_q  <= words;
          beat_q   <= '0;
          if (command_ready_i) state_q <= Data;
        end
        default: begin
          if (moves) begin
            words_q <= words_q - 7'd1;
            lead_q  <= 1'b0;
            if (!lead_q) begin
              before_q <= word;
              place_q  <= place_q + 2'd1;
              if (place_q == 2'd3 && left_q != '0) left_q <= left_q - 5'd1;
            end
          end
          if (beat_valid_i && beat_ready_i) beat_q <= beat_q + 6'd1;
          if (write_done_i) state_q <= Idle;
        end
      endcase
      // A beat on offer does not change; from the next one on nothing is written until the group ends
      if (!(beat_valid_i && !beat_ready_i)) forget_q <= state_q != Idle && (wipe_i || forget_q);
      if (wipe_i) before_q <= '0;
    end
  end

endmodule
