// dma_write: AW and W keep what they offer, and neither waits for the other; bursts lie one behind the other, within
// their page, and add up to their command; WLAST ends each; done comes when all are answered, and tells of any error.
module dma_write_formal #(
  parameter int unsigned BusWidth   = 64,
  parameter bit          Accounting = 1'b1  // the assertions that follow words and bursts through
) (
  input logic        clk_i,
  input logic        command_valid_i,
  input logic [63:0] command_address_i,
  input logic [15:0] command_words_i,
  input logic        in_valid_i,
  input logic [31:0] in_data_i,
  input logic        done_ready_i,
  input logic        awready_i,
  input logic        wready_i,
  input logic [1:0]  bresp_i,
  input logic        bvalid_i
);

  localparam int unsigned Bytes = BusWidth / 8;
  localparam int unsigned MaxBeats = 2;

  logic                rst_ni;
  logic                command_ready, in_ready, done, error, busy, awvalid, wvalid, wlast, bready;
  logic [63:0]         awaddr;
  logic [7:0]          awlen;
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
    .command_valid_i,
    .command_ready_o  (command_ready),
    .command_address_i,
    .command_words_i,
    .in_valid_i,
    .in_ready_o       (in_ready),
    .in_data_i,
    .done_valid_o     (done),
    .done_ready_i,
    .error_o          (error),
    .busy_o           (busy),
    .m_axi_awaddr_o   (awaddr),
    .m_axi_awlen_o    (awlen),
    .m_axi_awvalid_o  (awvalid),
    .m_axi_awready_i  (awready_i),
    .m_axi_wdata_o    (wdata),
    .m_axi_wstrb_o    (wstrb),
    .m_axi_wlast_o    (wlast),
    .m_axi_wvalid_o   (wvalid),
    .m_axi_wready_i   (wready_i),
    .m_axi_bresp_i    (bresp_i),
    .m_axi_bvalid_i   (bvalid_i),
    .m_axi_bready_o   (bready)
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
  logic [7:0]  addressed_q, sent_q, answered_q;        // bursts
  logic [7:0]  length_q[8];                            // of addressed bursts
  logic [7:0]  beat_q;
  logic        failed_q;
  logic [15:0] beats_words, strobed;

  assign beats_words = (16'(awlen) + 16'd1) * 16'(Bytes / 4);
  assign strobed     = (BusWidth == 64) ? 16'(wstrb[0]) + 16'(wstrb[Bytes-1]) : 16'd1;

  always_ff @(posedge clk_i) begin
    aw_waits_q   <= rst_ni && awvalid && !awready_i;
    awaddr_q     <= awaddr;
    awlen_q      <= awlen;
    w_waits_q    <= rst_ni && wvalid && !wready_i;
    wdata_q      <= wdata;
    wstrb_q      <= wstrb;
    wlast_q      <= wlast;
    in_waits_q   <= rst_ni && in_valid_i && !in_ready;
    in_data_q    <= in_data_i;
    done_waits_q <= rst_ni && done && !done_ready_i;
    if (!rst_ni) begin
      running_q   <= 1'b0;
      addressed_q <= '0;
      sent_q      <= '0;
      answered_q  <= '0;
      beat_q      <= '0;
      failed_q    <= 1'b0;
    end else begin
      if (command_valid_i && command_ready) begin
        running_q <= 1'b1;
        next_q    <= command_address_i;
        words_q   <= command_words_i;
        unasked_q <= command_words_i;
        written_q <= '0;
        read_q    <= '0;
        failed_q  <= 1'b0;
      end
      if (in_valid_i && in_ready) read_q <= read_q + 1'b1;
      if (awvalid && awready_i) begin
        next_q      <= awaddr + 64'(beats_words) * 4;
        unasked_q   <= (unasked_q > beats_words) ? unasked_q - beats_words : '0;
        addressed_q <= addressed_q + 1'b1;
        length_q[addressed_q[2:0]] <= awlen;
      end
      if (wvalid && wready_i) begin
        written_q <= written_q + strobed;
        beat_q    <= wlast ? '0 : beat_q + 1'b1;
        if (wlast) sent_q <= sent_q + 1'b1;
      end
      if (bvalid_i && bready) begin
        answered_q <= answered_q + 1'b1;
        failed_q   <= failed_q || bresp_i != '0;
      end
      if (done && done_ready_i) running_q <= 1'b0;
    end
  end

  always_comb begin
    if (rst_ni) begin
      // Short commands anywhere around the end of a page: carries into the upper bits are an adder's own business.
      assume (!command_valid_i || (command_address_i[2:0] == '0 && command_words_i inside {[1:7]}));
      assume (command_address_i[63:13] == 51'h1234);
      if (in_waits_q) assume (in_valid_i && in_data_i == in_data_q);
      // an answer comes when both address and data of its burst are there
      if (bvalid_i) assume (answered_q != addressed_q && answered_q != sent_q);

      // what the module keeps beside its counts, which makes the rest inductive: it steers by flags, not by comparisons
      assert (u_write.unsent_any_q == (u_write.unsent_q != '0));
      assert (u_write.unsent_one_q == (u_write.unsent_q == 9'd1));
      assert (u_write.words_any_q == (u_write.words_q != '0));
      assert (u_write.words_one_q == (u_write.words_q == 16'd1));
      if (u_write.state_q != 3'd0) assert (awaddr[$clog2(Bytes)-1:0] == '0);
      if (u_write.state_q inside {[3'd1:3'd5]}) assert (u_write.beats_q != '0);
      if (u_write.state_q == 3'd2) begin  // Size
        assert (u_write.most_q inside {[9'd1:9'(MaxBeats)]});
        assert (13'(awaddr[11:0]) + 13'(u_write.most_q) * 13'(Bytes) <= 13'd4096);
      end
      if (u_write.state_q inside {[3'd3:3'd5]}) begin  // Begin, Burst, Next
        assert (u_write.burst_q inside {[9'd1:9'(MaxBeats)]});
        assert (13'(awaddr[11:0]) + 13'(u_write.burst_q) * 13'(Bytes) <= 13'd4096);
        assert (u_write.burst_q <= u_write.beats_q && u_write.last_q == (u_write.burst_q == u_write.beats_q));
      end
      if (u_write.state_q != 3'd4) assert (!u_write.unsent_any_q && !u_write.unaddressed_q);
      assert (u_write.unsent_q <= u_write.burst_q);
      assert (u_write.answers_q[7:0] == addressed_q - answered_q + 8'(u_write.unaddressed_q));
      if (done) assert (u_write.state_q == 3'd6 && u_write.answers_q == '0);  // Answers

      if (aw_waits_q) assert (awvalid && awaddr == awaddr_q && awlen == awlen_q);
      if (w_waits_q) assert (wvalid && wdata == wdata_q && wstrb == wstrb_q && wlast == wlast_q);
      if (done_waits_q) assert (done);
      if (awvalid) begin
        assert (awlen < 8'(MaxBeats));
        assert (13'(awaddr[11:0]) + (13'(awlen) + 13'd1) * 13'(Bytes) <= 13'd4096);
      end
      if (Accounting && awvalid) begin
        assert (running_q && awaddr == next_q);
        assert (beats_words <= unasked_q + 16'(Bytes / 4 - 1));
      end
      if (Accounting && wvalid) begin
        assert (running_q && wstrb[0]);
        assert (written_q + strobed <= words_q);
        // the last of its burst, whether its address went before it or goes now
        if (sent_q != addressed_q) assert (wlast == (beat_q == length_q[sent_q[2:0]]));
        else assert (awvalid && wlast == (beat_q == awlen));
      end
      if (Accounting && bvalid_i) assert (bready);
      if (Accounting && in_ready) assert (running_q && read_q < words_q);
      if (Accounting && done) begin
        assert (running_q && unasked_q == '0 && written_q == words_q && read_q == words_q);
        assert (addressed_q == sent_q && sent_q == answered_q);
        assert (error == failed_q && !busy);
      end
    end
  end

endmodule
