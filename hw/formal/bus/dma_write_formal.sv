// SPDX-License-Identifier: Apache-2.0
// dma_write: AW and W keep what they offer, and neither waits for the other; bursts lie one behind the other, within
// their page, and add up to their command; WLAST ends each; each word is strobed once, in its place; done comes when all
// are answered, and tells of any error.
module dma_write_formal
  import bus_pkg::*;
#(
  parameter int unsigned BusWidth = 64,
  parameter int unsigned MaxBeats = 2
) (
  input logic                clk_i,
  input command_t            command_i,
  input write_word_t         in_i,
  input logic                done_ready_i,
  input axi_write_response_t axi_i
);

  localparam int unsigned Bytes = BusWidth / 8;

  logic                rst_ni;
  logic                command_ready, in_ready, done, error, busy;
  axi_write_request_t  axi;
  logic [BusWidth-1:0] wdata;
  logic [Bytes-1:0]    wstrb;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  dma_write #(
    .BusWidth(BusWidth),
    .MaxBeats(MaxBeats)
  ) u_write (
    .clk_i,
    .rst_ni,
    .command_i,
    .command_ready_o(command_ready),
    .in_i,
    .in_ready_o     (in_ready),
    .done_valid_o   (done),
    .done_ready_i,
    .error_o        (error),
    .busy_o         (busy),
    .m_axi_o        (axi),
    .m_axi_wdata_o  (wdata),
    .m_axi_wstrb_o  (wstrb),
    .m_axi_i        (axi_i)
  );

  logic                aw_waits_q, w_waits_q, in_waits_q, done_waits_q;
  logic [63:0]         awaddr_q;
  logic [7:0]          awlen_q;
  logic [BusWidth-1:0] wdata_q;
  logic [Bytes-1:0]    wstrb_q;
  logic                wlast_q;
  logic [31:0]         in_data_q;

  logic        running_q;
  logic [63:0] next_q;
  logic [15:0] words_q, unasked_q, written_q, read_q;  // words: of the command, not asked for by AW, strobed, taken
  logic [1:0][31:0] kept_q;                            // the last two words taken, by place in a 64-bit beat
  logic [15:0] addressed_q, sent_q, answered_q;        // bursts
  logic [7:0]  length_q[8];                            // of addressed bursts
  logic [7:0]  beat_q;
  logic        failed_q;
  logic [15:0] beats_words, strobed;
  logic [15:0] to_ask, to_write;                       // beats of what AW and W have not taken, by the module's counts
  logic [63:0] to_come;                                // where the next burst of AW begins, by the module's address
  logic        upper;                                  // half a beat is held

  if (BusWidth == 64) begin : gen_upper
    assign upper = u_write.gen_halves.upper_q;
  end else begin : gen_no_upper
    assign upper = 1'b0;
  end

  function automatic logic [15:0] beats_of(logic [15:0] words);
    return 16'((17'(words) + 17'(Bytes / 4 - 1)) >> $clog2(Bytes / 4));
  endfunction

  always_comb begin
    to_ask   = u_write.beats_q;
    to_write = u_write.beats_q;
    to_come  = axi.awaddr;
    unique case (u_write.state_q)
      3'd1: to_come = axi.awaddr + (64'(u_write.carry_q) << 12);      // Page
      3'd2: to_come = axi.awaddr + (64'(u_write.far_carry_q) << 38);  // Size
      3'd3: ;                                                     // Begin
      3'd4: begin                                                 // Burst
        if (!u_write.unaddressed_q) begin
          to_ask  = u_write.beats_q - 16'(u_write.burst_q);
          to_come = axi.awaddr + 64'(u_write.burst_q) * 64'(Bytes);
        end
        to_write = u_write.beats_q - 16'(u_write.burst_q) + 16'(u_write.unsent_q);
      end
      3'd5: begin                                                 // Next
        to_ask   = u_write.beats_q - 16'(u_write.burst_q);
        to_write = to_ask;
        to_come  = axi.awaddr + 64'(u_write.burst_q) * 64'(Bytes);
      end
      default: begin                                              // Answers
        to_ask   = '0;
        to_write = '0;
        to_come  = next_q;
      end
    endcase
  end

  assign beats_words = (16'(axi.awlen) + 16'd1) * 16'(Bytes / 4);
  assign strobed     = (BusWidth == 64) ? 16'(wstrb[0]) + 16'(wstrb[Bytes-1]) : 16'd1;

  always_ff @(posedge clk_i) begin
    aw_waits_q   <= rst_ni && axi.awvalid && !axi_i.awready;
    awaddr_q     <= axi.awaddr;
    awlen_q      <= axi.awlen;
    w_waits_q    <= rst_ni && axi.wvalid && !axi_i.wready;
    wdata_q      <= wdata;
    wstrb_q      <= wstrb;
    wlast_q      <= axi.wlast;
    in_waits_q   <= rst_ni && in_i.valid && !in_ready;
    in_data_q    <= in_i.data;
    done_waits_q <= rst_ni && done && !done_ready_i;
    if (!rst_ni) begin
      running_q   <= 1'b0;
      addressed_q <= '0;
      sent_q      <= '0;
      answered_q  <= '0;
      beat_q      <= '0;
      failed_q    <= 1'b0;
    end else begin
      if (command_i.valid && command_ready) begin
        running_q <= 1'b1;
        next_q    <= command_i.address;
        words_q   <= command_i.words;
        unasked_q <= command_i.words;
        written_q <= '0;
        read_q    <= '0;
        failed_q  <= 1'b0;
      end
      if (in_i.valid && in_ready) begin
        read_q            <= read_q + 1'b1;
        kept_q[read_q[0]] <= in_i.data;
      end
      if (axi.awvalid && axi_i.awready) begin
        next_q      <= axi.awaddr + 64'(beats_words) * 4;
        unasked_q   <= (unasked_q > beats_words) ? unasked_q - beats_words : '0;
        addressed_q <= addressed_q + 1'b1;
        length_q[addressed_q[2:0]] <= axi.awlen;
      end
      if (axi.wvalid && axi_i.wready) begin
        written_q <= written_q + strobed;
        beat_q    <= axi.wlast ? '0 : beat_q + 1'b1;
        if (axi.wlast) sent_q <= sent_q + 1'b1;
      end
      if (axi_i.bvalid && axi.bready) begin
        answered_q <= answered_q + 1'b1;
        failed_q   <= failed_q || axi_i.bresp != '0;
      end
      if (done && done_ready_i) running_q <= 1'b0;
    end
  end

  always_comb begin
    if (rst_ni) begin
      assume (!command_i.valid || (command_i.address[2:0] == '0 && command_i.words != '0));
      if (in_waits_q) assume (in_i.valid && in_i.data == in_data_q);
      // an answer comes when both address and data of its burst are there
      if (axi_i.bvalid) assume (answered_q != addressed_q && answered_q != sent_q);

      // what the module keeps beside its counts, which makes the rest inductive: it steers by flags, not by comparisons
      assert (u_write.unsent_any_q == (u_write.unsent_q != '0));
      assert (u_write.unsent_one_q == (u_write.unsent_q == 9'd1));
      assert (u_write.words_any_q == (u_write.words_q != '0));
      assert (u_write.words_one_q == (u_write.words_q == 16'd1));
      if (u_write.state_q != 3'd0) assert (axi.awaddr[$clog2(Bytes)-1:0] == '0);
      if (u_write.state_q inside {[3'd1:3'd5]}) assert (u_write.beats_q != '0);
      if (u_write.state_q == 3'd2) begin  // Size
        assert (u_write.most_q inside {[9'd1:9'(MaxBeats)]});
        assert (13'(axi.awaddr[11:0]) + 13'(u_write.most_q) * 13'(Bytes) <= 13'd4096);
      end
      if (u_write.state_q inside {[3'd3:3'd5]}) begin  // Begin, Burst, Next
        assert (u_write.burst_q inside {[9'd1:9'(MaxBeats)]});
        assert (13'(axi.awaddr[11:0]) + 13'(u_write.burst_q) * 13'(Bytes) <= 13'd4096);
        assert (u_write.burst_q <= u_write.beats_q && u_write.last_q == (u_write.burst_q == u_write.beats_q));
      end
      if (u_write.state_q != 3'd4) assert (!u_write.unsent_any_q && !u_write.unaddressed_q);
      assert (u_write.unsent_q <= u_write.burst_q);
      assert (u_write.answers_q == addressed_q - answered_q + 16'(u_write.unaddressed_q));
      if (done) assert (u_write.state_q == 3'd6 && u_write.answers_q == '0);  // Answers
      // and how the counts here go with them
      assert (u_write.state_q != 3'd7 && running_q == (u_write.state_q != 3'd0));
      assert (upper + 2'(u_write.full_q) <= 2'd1);
      if (running_q) begin
        assert (written_q <= read_q && read_q <= words_q && u_write.words_q == words_q - read_q);
        assert (read_q - written_q == (u_write.full_q ? strobed : 16'(upper)));
        assert (beats_of(unasked_q) == to_ask && beats_of(words_q - written_q) == to_write && next_q == to_come);
        assert (u_write.error_q == failed_q);
        if (BusWidth == 64) begin
          assert (!written_q[0] || written_q == words_q);
          if (u_write.full_q) assert (wstrb == '1 || (wstrb == Bytes'(15) && read_q == words_q));
          if (upper) assert (wdata[31:0] == kept_q[0]);
        end
        // the beat that is held, on offer or not yet: its words
        if (u_write.full_q) begin
          assert (wdata[31:0] == kept_q[BusWidth == 64 ? 0 : written_q[0]]);
          if (BusWidth == 64 && wstrb[Bytes-1]) assert (wdata[BusWidth-1-:32] == kept_q[1]);
        end
      end else begin
        assert (!u_write.full_q && !upper && u_write.words_q == '0 && u_write.answers_q == '0);
      end
      assert (addressed_q - sent_q == (u_write.state_q != 3'd4 ? 16'd0 :
                                       16'(u_write.unsent_any_q) - 16'(u_write.unaddressed_q)));
      assert (beat_q == (u_write.unsent_any_q ? 8'(u_write.burst_q - u_write.unsent_q) : 8'd0));
      if (u_write.unsent_any_q && !u_write.unaddressed_q) begin
        assert (length_q[sent_q[2:0]] == 8'(u_write.burst_q - 1'b1));
      end

      if (aw_waits_q) assert (axi.awvalid && axi.awaddr == awaddr_q && axi.awlen == awlen_q);
      if (w_waits_q) assert (axi.wvalid && wdata == wdata_q && wstrb == wstrb_q && axi.wlast == wlast_q);
      if (done_waits_q) assert (done);
      if (axi.awvalid) begin
        assert (axi.awlen < 9'(MaxBeats));
        assert (13'(axi.awaddr[11:0]) + (13'(axi.awlen) + 13'd1) * 13'(Bytes) <= 13'd4096);
      end
      if (axi.awvalid) begin
        assert (running_q && axi.awaddr == next_q);
        assert (17'(beats_words) <= 17'(unasked_q) + 17'(Bytes / 4 - 1));
      end
      if (axi.wvalid) begin
        assert (running_q && wstrb[0]);
        assert (written_q + strobed <= words_q);
        // the last of its burst, whether its address went before it or goes now
        if (sent_q != addressed_q) assert (axi.wlast == (beat_q == length_q[sent_q[2:0]]));
        else assert (axi.awvalid && axi.wlast == (beat_q == axi.awlen));
      end
      if (axi_i.bvalid) assert (axi.bready);
      if (in_ready) assert (running_q && read_q < words_q);
      if (done) begin
        assert (running_q && unasked_q == '0 && written_q == words_q && read_q == words_q);
        assert (addressed_q == sent_q && sent_q == answered_q);
        assert (error == failed_q && !busy);
      end

      // a command of more than one burst is done, and some answer was an error
      cover (done && error && words_q > 16'(MaxBeats * Bytes / 4));
    end
  end

endmodule
