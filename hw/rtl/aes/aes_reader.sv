// SPDX-License-Identifier: Apache-2.0
// Reads the blocks of an AES engine's messages in turn, from any byte address. Between aes_message and dma_read, whose
// commands and words it makes of groups of blocks.
//
//   cycle       0    1    ..   k    k+1  k+2  k+3  k+4  k+5      address_i = 8n + 1: a byte before the block, 15 of it
//   valid_i     1                                                in four words, the last byte in a fifth
//   command     R                                                from 8n on, five words for a block
//   word                       w0   w1   w2   w3   w4
//   block_o                                             B        bytes 1 to 16 of the words
//
// Contract    One group of each message at a time; end_o is a pulse with or after the last block, failed_o with it: some
//             of it could not be read. wipe_i: words that come are forgotten; whoever reads is still told the end.
module aes_reader #(
  parameter  int unsigned Messages     = 4,
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

  output logic                      command_valid_o,
  input  logic                      command_ready_i,
  output logic [63:0]               command_address_o,
  output logic [15:0]               command_words_o,
  input  logic                      read_valid_i,
  input  logic [31:0]               read_data_i,
  input  logic                      read_last_i,
  input  logic                      read_error_i
);

  typedef struct packed {
    logic [MessageWidth-1:0] message;
    logic [2:0]              offset;
  } group_t;

  logic [MessageWidth-1:0] next_q, chosen;
  logic                    any, plan_ready, plan_valid, asked;
  group_t                  group, asking;

  // From next_q on, the first that asks
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

  assign command_valid_o   = any && plan_ready;
  assign asked             = command_valid_o && command_ready_i;
  assign command_address_o = {address_i[chosen][63:3], 3'd0};
  assign command_words_o   = (16'({blocks_i[chosen], 4'd0}) + 16'(address_i[chosen][2:0]) + 16'd3) >> 2;
  assign asking            = '{message: chosen, offset: address_i[chosen][2:0]};
  assign quiet_o           = !plan_valid;

  always_comb begin
    ready_o         = '0;
    ready_o[chosen] = asked;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_q <= '0;
    else if (asked) next_q <= chosen == MessageWidth'(Messages - 1) ? '0 : chosen + MessageWidth'(1);
  end

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
    .out_ready_i(read_valid_i && read_last_i),
    .out_data_o (group)
  );

  // Blocks out of words.
  logic            skipped_q, primed_q;  // the word before the block's first, and the first part of it, were here
  logic [31:0]     before_q, word;
  logic [1:0]      count_q;              // words of the block
  aes_pkg::block_t block_q;
  logic            whole;

  assign whole   = (skipped_q || !group.offset[2]) && (primed_q || group.offset[1:0] == 2'd0);
  assign word    = group.offset[1:0] == 2'd0 ? read_data_i :
                   32'({read_data_i, before_q} >> {group.offset[1:0], 3'd0});
  assign block_o = block_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      skipped_q     <= 1'b0;
      primed_q      <= 1'b0;
      before_q      <= '0;
      count_q       <= '0;
      block_q       <= '0;
      block_valid_o <= '0;
      end_o         <= '0;
      failed_o      <= 1'b0;
    end else begin
      block_valid_o <= '0;
      end_o         <= '0;
      if (read_valid_i) begin
        before_q <= read_data_i;
        if (!skipped_q && group.offset[2]) skipped_q <= 1'b1;
        else if (!whole) primed_q <= 1'b1;
        else begin
          block_q <= {word, block_q[15:4]};
          count_q <= count_q + 2'd1;
          block_valid_o[group.message] <= count_q == 2'd3;
        end
        if (read_last_i) begin
          skipped_q            <= 1'b0;
          primed_q             <= 1'b0;
          count_q              <= '0;
          end_o[group.message] <= 1'b1;
          failed_o             <= read_error_i;
        end
      end
      if (wipe_i) begin
        before_q      <= '0;
        block_q       <= '0;
        block_valid_o <= '0;
      end
    end
  end

endmodule
