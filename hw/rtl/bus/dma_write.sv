// SPDX-License-Identifier: Apache-2.0
// Writes host memory: a command and a stream of 32-bit words become AXI4 bursts; `done` tells when all are answered.
//
//   cycle      0    1    2    3    4    5    6    7    8    9    10   11        BusWidth = 64, four words
//   command    C
//   in              A    B              C    D                                  until a beat is full, then behind it
//   AW                             B0                                           beside W, neither waits for the other
//   W                              AB             CD
//   B                                                  ok
//   done                                                              D         one command at a time
//
// A burst has at most MaxBeats beats and stays within its 4 KiB page.
//
// Contract    `command_i.address` is a multiple of 8, `command_i.words` > 0; exactly so many words follow.
//             `error_o` comes with `done_valid_o`: some burst was answered with an error.
// Parameters  BusWidth: 32 or 64. Of a 64-bit bus and an odd count the last upper half is not strobed.
module dma_write
  import bus_pkg::*;
#(
  parameter int unsigned BusWidth = 64,
  parameter int unsigned MaxBeats = 64  // 1 to 256, a power of two
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  command_t              command_i,
  output logic                  command_ready_o,

  input  write_word_t           in_i,
  output logic                  in_ready_o,

  output logic                  done_valid_o,
  input  logic                  done_ready_i,
  output logic                  error_o,
  output logic                  busy_o,         // a burst is under way

  output axi_write_request_t    m_axi_o,
  output logic [BusWidth-1:0]   m_axi_wdata_o,
  output logic [BusWidth/8-1:0] m_axi_wstrb_o,
  input  axi_write_response_t   m_axi_i
);

  if (BusWidth != 32 && BusWidth != 64) begin : gen_bad_width
    $fatal(1, "dma_write: BusWidth must be 32 or 64");
  end
  if (MaxBeats < 1 || MaxBeats > 256 || (MaxBeats & (MaxBeats - 1)) != 0) begin : gen_bad_beats
    $fatal(1, "dma_write: MaxBeats must be a power of two up to 256");
  end

  localparam int unsigned WordsLog2 = (BusWidth == 64) ? 1 : 0;
  localparam int unsigned BytesLog2 = WordsLog2 + 2;

  typedef enum logic [2:0] {
    Idle,
    Page,   // how long the next burst may be
    Size,   // how long it is
    Begin,
    Burst,  // its address and data go out
    Next,   // where the next one begins
    Answers // all sent, some answer is missing
  } state_e;

  state_e      state_q;
  logic [63:0] address_q;
  logic [15:0] beats_q;        // of the command, from the burst under way on
  logic        carry_q;        // of an address, out of its page
  logic        far_carry_q;    // and on from there
  logic [8:0]  most_q;         // beats: to the end of the page, and MaxBeats
  logic [8:0]  burst_q;        // beats of the burst under way
  logic        last_q;         // it is the last of its command
  logic [8:0]  unsent_q;       // of them, those not yet taken by W
  logic        unsent_any_q, unsent_one_q;
  logic        unaddressed_q;  // AW of the burst is not yet taken
  logic [15:0] words_q;        // still to come from the stream
  logic        words_any_q, words_one_q;
  logic [15:0] answers_q;      // bursts begun and not yet answered
  logic        done_q;
  logic        error_q;
  logic [12:0] page_beats;
  logic        ends;           // the command ends within most_q
  logic        beat, answer;

  assign page_beats = (13'(PageBytes) - {1'b0, address_q[11:0]}) >> BytesLog2;
  assign ends       = beats_q <= 16'(most_q);

  assign command_ready_o = state_q == Idle;
  assign m_axi_o.awaddr  = address_q;
  assign m_axi_o.awlen   = 8'(burst_q - 1'b1);
  assign m_axi_o.awvalid = state_q == Burst && unaddressed_q;
  assign m_axi_o.bready  = state_q != Idle;
  assign beat            = m_axi_o.wvalid && m_axi_i.wready;
  assign answer          = m_axi_i.bvalid && m_axi_o.bready;
  assign done_valid_o    = done_q;
  assign error_o         = error_q;
  assign busy_o          = answers_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= Idle;
      address_q     <= '0;
      beats_q       <= '0;
      carry_q       <= 1'b0;
      far_carry_q   <= 1'b0;
      most_q        <= '0;
      burst_q       <= '0;
      last_q        <= 1'b0;
      unsent_q      <= '0;
      unsent_any_q  <= 1'b0;
      unsent_one_q  <= 1'b0;
      unaddressed_q <= 1'b0;
      answers_q     <= '0;
      done_q        <= 1'b0;
      error_q       <= 1'b0;
    end else begin
      if (m_axi_o.awvalid && m_axi_i.awready) unaddressed_q <= 1'b0;
      if (beat) begin
        unsent_q     <= unsent_q - 1'b1;
        unsent_any_q <= !unsent_one_q;
        unsent_one_q <= unsent_q == 9'd2;
      end
      answers_q <= answers_q + 16'(state_q == Begin) - 16'(answer);
      done_q    <= state_q == Answers && answers_q == '0 && !(done_q && done_ready_i);
      if (answer && m_axi_i.bresp != AxiOkay) error_q <= 1'b1;
      unique case (state_q)
        Idle: if (command_i.valid) begin
          state_q   <= Page;
          address_q <= command_i.address;
          carry_q   <= 1'b0;
          beats_q   <= 16'((17'(command_i.words) + 17'(2 ** WordsLog2 - 1)) >> WordsLog2);
          error_q   <= 1'b0;
        end
        Page: begin
          {far_carry_q, address_q[37:12]} <= {1'b0, address_q[37:12]} + 27'(carry_q);
          most_q  <= (page_beats < 13'(MaxBeats)) ? page_beats[8:0] : 9'(MaxBeats);
          state_q <= Size;
        end
        Size: begin
          address_q[63:38] <= address_q[63:38] + 26'(far_carry_q);
          burst_q <= ends ? beats_q[8:0] : most_q;
          last_q  <= ends;
          state_q <= Begin;
        end
        Begin: begin
          unsent_q      <= burst_q;
          unsent_any_q  <= 1'b1;
          unsent_one_q  <= burst_q == 9'd1;
          unaddressed_q <= 1'b1;
          state_q       <= Burst;
        end
        Burst: if (!unaddressed_q && !unsent_any_q) state_q <= Next;
        Next: begin
          {carry_q, address_q[11:0]} <= {1'b0, address_q[11:0]} + (13'(burst_q) << BytesLog2);
          beats_q <= beats_q - 16'(burst_q);
          state_q <= last_q ? Answers : Page;
        end
        default: if (done_valid_o && done_ready_i) state_q <= Idle;
      endcase
    end
  end

  // Beats out of words: one beat is held, and leaves when it is full or holds the last word of the command.
  logic [BusWidth-1:0]   data_q;
  logic [BusWidth/8-1:0] strobe_q;
  logic                  full_q;
  logic                  take;

  assign m_axi_wdata_o  = data_q;
  assign m_axi_wstrb_o  = strobe_q;  // SEC_CM: RESULT.BOUNDS
  assign m_axi_o.wvalid = full_q && unsent_any_q;
  assign m_axi_o.wlast  = unsent_one_q;
  assign in_ready_o     = words_any_q && !full_q;
  assign take           = in_i.valid && in_ready_o;

  if (BusWidth == 64) begin : gen_halves
    logic upper_q;  // the next word is the upper half
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        data_q   <= '0;
        strobe_q <= '0;
        full_q   <= 1'b0;
        upper_q  <= 1'b0;
      end else begin
        if (beat) full_q <= 1'b0;
        if (take) begin
          if (upper_q) data_q[63:32] <= in_i.data;
          else data_q <= {32'd0, in_i.data};
          strobe_q <= upper_q ? 8'hFF : 8'h0F;
          full_q   <= upper_q || words_one_q;
          upper_q  <= !upper_q && !words_one_q;
        end
      end
    end
  end else begin : gen_whole
    assign strobe_q = '1;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        data_q <= '0;
        full_q <= 1'b0;
      end else begin
        if (beat) full_q <= 1'b0;
        if (take) begin
          data_q <= in_i.data;
          full_q <= 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_q     <= '0;
      words_any_q <= 1'b0;
      words_one_q <= 1'b0;
    end else if (state_q == Idle) begin
      words_q     <= command_i.valid ? command_i.words : '0;
      words_any_q <= command_i.valid;
      words_one_q <= command_i.valid && command_i.words == 16'd1;
    end else if (take) begin
      words_q     <= words_q - 1'b1;
      words_any_q <= !words_one_q;
      words_one_q <= words_q == 16'd2;
    end
  end

endmodule
