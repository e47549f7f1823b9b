// SPDX-License-Identifier: Apache-2.0
// Bursts out of commands: so many beats from an address on, cut at 4 KiB pages and at MaxBeats.
//
//   cycle           0    1    2    3    4    5    6          ten beats, of which six are in the page; MaxBeats 16
//   command_valid_i C
//   burst_valid_o                  6              4          the next command with it, or after it
//   burst_last_o                   0              1
//
// Contract    command_address_i is a multiple of a beat; command_beats_i > 0. A burst that is shown stays until it is taken.
// Parameters  BytesLog2: bytes of a beat. MaxBeats 1 to 256, a power of two.
module burst_address #(
  parameter int unsigned BytesLog2 = 4,
  parameter int unsigned MaxBeats  = 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        command_valid_i,
  output logic        command_ready_o,
  input  logic [63:0] command_address_i,
  input  logic [7:0]  command_beats_i,

  output logic        burst_valid_o,
  input  logic        burst_ready_i,
  output logic [63:0] burst_address_o,
  output logic [7:0]  burst_length_o,   // beats - 1, as AXI has it
  output logic        burst_last_o      // of its command
);

  if (MaxBeats < 1 || MaxBeats > 256 || (MaxBeats & (MaxBeats - 1)) != 0) begin : gen_bad_beats
    $fatal(1, "burst_address: MaxBeats must be a power of two up to 256");
  end

  typedef enum logic [1:0] {
    Idle,
    Page,   // how long the next burst may be
    Size,   // how long it is
    Offer
  } state_e;

  state_e      state_q;
  logic [63:0] address_q;
  logic [7:0]  beats_q;      // still to ask for
  logic [8:0]  most_q;       // beats: to the end of the page, and MaxBeats
  logic [8:0]  burst_q;
  logic        last_q;
  logic        carry_q;      // of an address, out of its page
  logic        far_carry_q;  // and on from there
  logic [12:0] page_beats;
  logic        ends;

  assign page_beats      = (13'(bus_pkg::PageBytes) - {1'b0, address_q[11:0]}) >> BytesLog2;
  assign ends            = 9'(beats_q) <= most_q;
  assign command_ready_o = state_q == Idle;
  assign burst_valid_o   = state_q == Offer;
  assign burst_address_o = address_q;
  assign burst_length_o  = 8'(burst_q - 9'd1);
  assign burst_last_o    = last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= Idle;
      address_q   <= '0;
      beats_q     <= '0;
      most_q      <= '0;
      burst_q     <= '0;
      last_q      <= 1'b0;
      carry_q     <= 1'b0;
      far_carry_q <= 1'b0;
    end else begin
      unique case (state_q)
        Idle: if (command_valid_i) begin
          state_q   <= Page;
          address_q <= command_address_i;
          beats_q   <= command_beats_i;
          carry_q   <= 1'b0;
        end
        Page: begin
          {far_carry_q, address_q[37:12]} <= {1'b0, address_q[37:12]} + 27'(carry_q);
          most_q  <= page_beats < 13'(MaxBeats) ? page_beats[8:0] : 9'(MaxBeats);
          state_q <= Size;
        end
        Size: begin
          address_q[63:38] <= address_q[63:38] + 26'(far_carry_q);
          burst_q          <= ends ? 9'(beats_q) : most_q;
          last_q           <= ends;
          state_q          <= Offer;
        end
        default: if (burst_ready_i) begin
          {carry_q, address_q[11:0]} <= {1'b0, address_q[11:0]} + (13'(burst_q) << BytesLog2);
          beats_q <= beats_q - 8'(burst_q);
          state_q <= last_q ? Idle : Page;
        end
      endcase
    end
  end

endmodule
