// SPDX-License-Identifier: Apache-2.0
// Takes groups of blocks from an AES engine's messages in turn, and says which beats of the bus they are. Used by
// aes_reader and aes_writer.
//
//   cycle          0    1    2    3    BusWidth 64, address_i = 8n + 1, one block
//   valid_i        1    1
//   ready_o             1              one message is chosen
//   group_valid_o            1    1    until it is taken; then the next one
//   address_o                8n
//   beats_o                  3         the block begins in the first, and ends in the third
//
// Every output hangs on flip-flops alone: the choice between messages has a cycle of its own.
//
// Contract    Groups come in the order in which they were taken. An offer that ends before ready_o is none. address_o is a
//             multiple of a beat; offset_o: of the first block's first byte in the first beat.
// Parameters  BusWidth 64 or 128.
module aes_groups #(
  parameter  int unsigned Messages     = 4,
  parameter  int unsigned BusWidth     = 64,
  localparam int unsigned MessageWidth = Messages > 1 ? $clog2(Messages) : 1,
  localparam int unsigned BytesLog2    = $clog2(BusWidth / 8)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic [Messages-1:0]       valid_i,
  output logic [Messages-1:0]       ready_o,
  input  logic [Messages-1:0][63:0] address_i,
  input  logic [Messages-1:0][4:0]  blocks_i,

  output logic                      group_valid_o,
  input  logic                      group_ready_i,
  output logic [MessageWidth-1:0]   message_o,
  output logic [63:0]               address_o,
  output logic [BytesLog2-1:0]      offset_o,
  output logic [7:0]                beats_o
);

  localparam int unsigned BlockBeatsLog2 = 4 - BytesLog2;

  logic [MessageWidth-1:0] chosen;
  logic                    any, free;
  logic [63:0]             address_q;
  logic [4:0]              blocks_q;

  axi_turn #(
    .Masters(Messages),
    .Width  (MessageWidth)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .asks_i  (valid_i),
    .taken_i (free),
    .any_o   (any),
    .chosen_o(chosen)
  );

  assign free      = ready_o == '0 && !group_valid_o;
  assign offset_o  = address_q[BytesLog2-1:0];
  assign address_o = {address_q[63:BytesLog2], BytesLog2'(0)};
  assign beats_o   = (8'(blocks_q) << BlockBeatsLog2) + 8'(offset_o != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_o       <= '0;
      group_valid_o <= 1'b0;
      message_o     <= '0;
      address_q     <= '0;
      blocks_q      <= '0;
    end else begin
      ready_o         <= '0;
      ready_o[chosen] <= any && free;
      group_valid_o   <= (ready_o & valid_i) != '0 || (group_valid_o && !group_ready_i);
      if (free) message_o <= chosen;
      if (!group_valid_o) begin
        address_q <= address_i[message_o];
        blocks_q  <= blocks_i[message_o];
      end
    end
  end

endmodule
