// SPDX-License-Identifier: Apache-2.0
// Reads host memory: a command becomes AXI4 bursts, and their data a stream of 32-bit words, in the order of commands.
//
//   cycle      0    1    2    3    4    5    6    7    8    9    10   11        BusWidth = 64, bursts of two beats
//   command    C
//   AR                        B0             B1                                 after three cycles, then every third
//   R                                   b0   b0   b1   b1   b2   b2   b2        a beat waits while its words leave,
//   out                                      w0   w1   w2   w3        w4        and once more where a burst begins
//
// A burst has at most MaxBeats beats and stays within its 4 KiB page. Up to Outstanding bursts wait behind the one whose
// beats come; commands queue behind each other, so that a second command's data follows the first one's without a gap.
//
// Contract    `command_i.address` is a multiple of 8, `command_i.words` > 0. An error of any beat of the command is
//             reported with its last word; all its words come whatever happens. R is held up only by `out_ready_i`.
// Parameters  BusWidth: 32 or 64. Of a 64-bit bus and an odd count the last upper half is read and dropped.
module dma_read
  import bus_pkg::*;
#(
  parameter int unsigned BusWidth    = 64,
  parameter int unsigned MaxBeats    = 64,  // 1 to 256, a power of two
  parameter int unsigned Outstanding = 4
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  command_t            command_i,
  output logic                command_ready_o,
  input  logic                command_id_i,    // comes back with the data

  output read_word_t          out_o,
  input  logic                out_ready_i,
  output logic                out_id_o,

  output logic                busy_o,          // a burst is under way

  output axi_read_request_t   m_axi_o,
  input  axi_read_response_t  m_axi_i,
  input  logic [BusWidth-1:0] m_axi_rdata_i
);

  if (BusWidth != 32 && BusWidth != 64) begin : gen_bad_width
    $fatal(1, "dma_read: BusWidth must be 32 or 64");
  end
  if (MaxBeats < 1 || MaxBeats > 256 || (MaxBeats & (MaxBeats - 1)) != 0) begin : gen_bad_beats
    $fatal(1, "dma_read: MaxBeats must be a power of two up to 256");
  end

  localparam int unsigned WordsLog2 = (BusWidth == 64) ? 1 : 0;  // words of a beat
  localparam int unsigned BytesLog2 = WordsLog2 + 2;

  // Bursts, one after another.
  typedef enum logic [1:0] {
    Idle,
    Page,   // how long the next burst may be
    Size,   // how long it is
    Offer   // it is offered on AR
  } state_e;

  typedef struct packed {
    logic id;
    logic last;  // burst of its command
    logic half;  // its last beat counts one word only
  } burst_t;

  state_e      state_q;
  logic [63:0] address_q;
  logic [15:0] beats_q;      // still to ask for
  logic        id_q, half_q;
  logic        carry_q;      // of an address, out of its page
  logic        far_carry_q;  // and on from there
  logic [8:0]  most_q;       // beats: to the end of the page, and MaxBeats
  logic [8:0]  burst_q;      // beats of the burst on offer
  logic        last_q;       // it is the last of its command
  logic [12:0] page_beats;   // until the end of the page
  logic        ends;         // the command ends within most_q
  burst_t      issued, oldest, current;
  logic        issued_ready, oldest_valid, oldest_ready, current_valid;
  logic        accept;

  assign page_beats = (13'(PageBytes) - {1'b0, address_q[11:0]}) >> BytesLog2;
  assign ends       = beats_q <= 16'(most_q);

  assign command_ready_o = state_q == Idle;
  assign m_axi_o.araddr  = address_q;
  assign m_axi_o.arlen   = 8'(burst_q - 1'b1);
  assign m_axi_o.arvalid = state_q == Offer;
  assign accept          = m_axi_o.arvalid && m_axi_i.arready;
  assign issued          = '{id: id_q, last: last_q, half: half_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      address_q <= '0;
      beats_q   <= '0;
      id_q      <= 1'b0;
      half_q    <= 1'b0;
      carry_q   <= 1'b0;
      far_carry_q <= 1'b0;
      most_q    <= '0;
      burst_q   <= '0;
      last_q    <= 1'b0;
    end else begin
      unique case (state_q)
        Idle: if (command_i.valid) begin
          state_q   <= Page;
          address_q <= command_i.address;
          carry_q   <= 1'b0;
          beats_q   <= 16'((17'(command_i.words) + 17'(2 ** WordsLog2 - 1)) >> WordsLog2);
          half_q    <= (BusWidth == 64) && command_i.words[0];
          id_q      <= command_id_i;
        end
        Page: begin
          {far_carry_q, address_q[37:12]} <= {1'b0, address_q[37:12]} + 27'(carry_q);
          most_q  <= (page_beats < 13'(MaxBeats)) ? page_beats[8:0] : 9'(MaxBeats);
          state_q <= Size;
        end
        Size: begin
          address_q[63:38] <= address_q[63:38] + 26'(far_carry_q);
          far_carry_q      <= 1'b0;
          burst_q          <= ends ? beats_q[8:0] : most_q;
          last_q           <= ends;
          if (issued_ready) state_q <= Offer;  // a place to remember it by: AR never waits for R
        end
        default: if (accept) begin
          {carry_q, address_q[11:0]} <= {1'b0, address_q[11:0]} + (13'(burst_q) << BytesLog2);
          beats_q <= beats_q - 16'(burst_q);
          state_q <= last_q ? Idle : Page;
        end
      endcase
    end
  end

  fifo #(
    .Width($bits(burst_t)),
    .Depth(Outstanding)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .in_valid_i (accept),
    .in_ready_o (issued_ready),
    .in_data_i  (issued),
    .out_valid_o(oldest_valid),
    .out_ready_i(oldest_ready),
    .out_data_o (oldest)
  );

  stage #(
    .Width($bits(burst_t))
  ) u_current (
    .clk_i,
    .rst_ni,
    .in_valid_i (oldest_valid),
    .in_ready_o (oldest_ready),
    .in_data_i  (oldest),
    .out_valid_o(current_valid),
    .out_ready_i(m_axi_i.rvalid && m_axi_o.rready && m_axi_i.rlast),
    .out_data_o (current)
  );

  assign busy_o = current_valid || oldest_valid || m_axi_o.arvalid;

  // Words out of beats. RREADY depends on flip-flops alone: a beat is always two halves, of which the last may be dropped.
  logic        error_q;   // an earlier beat of the command failed
  logic        beat_end;  // this half is the last of its beat
  logic        dropped;   // and no word of the command
  logic        here;      // a beat of a burst
  logic        word_valid, word_ready, word_last, word_error;
  logic [31:0] word;

  if (BusWidth == 64) begin : gen_halves
    logic upper_q;  // the upper half is next
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) upper_q <= 1'b0;
      else if (here && word_ready) upper_q <= !upper_q;
    end
    logic halved;
    assign halved    = current.half && current.last && m_axi_i.rlast;
    assign word      = upper_q ? m_axi_rdata_i[63:32] : m_axi_rdata_i[31:0];
    assign beat_end  = upper_q;
    assign dropped   = upper_q && halved;
    assign word_last = current.last && m_axi_i.rlast && (upper_q || halved);
  end else begin : gen_whole
    logic unused_half;
    assign unused_half = current.half;
    assign word      = m_axi_rdata_i;
    assign beat_end  = 1'b1;
    assign dropped   = 1'b0;
    assign word_last = current.last && m_axi_i.rlast;
  end

  assign here           = m_axi_i.rvalid && current_valid;
  assign word_valid     = here && !dropped;
  assign word_error     = error_q || m_axi_i.rresp != AxiOkay;
  assign m_axi_o.rready = current_valid && word_ready && beat_end;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= 1'b0;
    else if (word_valid && word_ready) error_q <= word_error && !word_last;
  end

  skid_buffer #(
    .Width(35)
  ) u_out (
    .clk_i,
    .rst_ni,
    .in_valid_i (word_valid),
    .in_ready_o (word_ready),
    .in_data_i  ({current.id, word_error, word_last, word_valid ? word : 32'd0}),  // no word stays behind
    .out_valid_o(out_o.valid),
    .out_ready_i,
    .out_data_o ({out_id_o, out_o.error, out_o.last, out_o.data})
  );

endmodule
