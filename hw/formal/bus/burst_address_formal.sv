// SPDX-License-Identifier: Apache-2.0
// burst_address: the bursts of a command are one behind the other, within pages and MaxBeats, and together what was asked
// for; one that is shown stays.
module burst_address_formal (
  input logic        clk_i,
  input logic        command_valid_i,
  input logic [63:0] command_address_i,
  input logic [7:0]  command_beats_i,
  input logic        burst_ready_i
);

  localparam int unsigned BytesLog2 = 4, MaxBeats = 16;

  logic        rst_ni, command_ready, valid, last;
  logic [63:0] address;
  logic [7:0]  length;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  burst_address #(
    .BytesLog2(BytesLog2),
    .MaxBeats (MaxBeats)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .command_valid_i,
    .command_ready_o  (command_ready),
    .command_address_i,
    .command_beats_i,
    .burst_valid_o    (valid),
    .burst_ready_i,
    .burst_address_o  (address),
    .burst_length_o   (length),
    .burst_last_o     (last)
  );

  // What is still to come of the command, and what was shown and not taken
  logic [63:0] next_q, shown_address_q;
  logic [8:0]  left_q;
  logic [7:0]  shown_length_q;
  logic        shown_q;
  logic [8:0]  beats;
  logic [8:0]  most;  // beats of a burst from here on
  logic [12:0] end_in_page, in_page;

  assign beats       = 9'(length) + 9'd1;
  assign in_page     = (13'd4096 - {1'b0, u_bursts.address_q[11:0]}) >> BytesLog2;
  assign most        = in_page < 13'(MaxBeats) ? in_page[8:0] : 9'(MaxBeats);
  assign end_in_page = {1'b0, address[11:0]} + (13'(beats) << BytesLog2);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q  <= '0;
      shown_q <= 1'b0;
    end else begin
      if (command_valid_i && command_ready) begin
        next_q <= command_address_i;
        left_q <= {1'b0, command_beats_i};
      end
      if (valid && burst_ready_i) begin
        next_q <= next_q + (64'(beats) << BytesLog2);
        left_q <= left_q - beats;
      end
      shown_q         <= valid && !burst_ready_i;
      shown_address_q <= address;
      shown_length_q  <= length;
    end
  end

  always_comb begin
    assume (command_address_i[BytesLog2-1:0] == '0 && command_beats_i != '0);
    if (rst_ni) begin
      // What holds in each state, so that one step follows from the one before
      assert (u_bursts.address_q[BytesLog2-1:0] == '0);
      unique case (u_bursts.state_q)
        2'd0: assert (left_q == '0);
        2'd1: assert (next_q == u_bursts.address_q + {51'd0, u_bursts.carry_q, 12'd0});
        2'd2: assert (next_q == u_bursts.address_q + {25'd0, u_bursts.far_carry_q, 38'd0} && u_bursts.most_q == most);
        default: assert (next_q == u_bursts.address_q && u_bursts.burst_q == beats && beats <= most);
      endcase
      if (!command_ready) assert (left_q == {1'b0, u_bursts.beats_q} && left_q != '0);
      if (valid) begin
        assert (address == next_q);
        assert (beats <= left_q && beats <= 9'(MaxBeats) && end_in_page <= 13'd4096);
        assert (last == (beats == left_q));
      end
      if (shown_q) assert (valid && address == shown_address_q && length == shown_length_q);
      cover (valid && last && left_q < {1'b0, 8'd4} && address[11:0] == '0);
      cover (valid && !last && beats < 9'(MaxBeats));
    end
  end

endmodule
