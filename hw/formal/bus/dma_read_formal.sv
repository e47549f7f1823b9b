// dma_read: AR keeps what it offers; bursts lie one behind the other, within their page, and add up to their command;
// no more are under way than one and Outstanding; each command's words come out, the last one marked, with its error.
module dma_read_formal #(
  parameter int unsigned BusWidth   = 64,
  parameter bit          Accounting = 1'b1  // the assertions that follow words and bursts through
) (
  input logic                clk_i,
  input logic                command_valid_i,
  input logic [63:0]         command_address_i,
  input logic [15:0]         command_words_i,
  input logic                command_id_i,
  input logic                out_ready_i,
  input logic                arready_i,
  input logic [BusWidth-1:0] rdata_i,
  input logic [1:0]          rresp_i,
  input logic                rvalid_i,
  input logic                rlast_i      // without Accounting; with it, the slave counts its beats
);

  localparam int unsigned Bytes = BusWidth / 8;
  localparam int unsigned MaxBeats = 2;
  localparam int unsigned Outstanding = 4;

  logic        rst_ni;
  logic        command_ready, out_valid, out_last, out_error, out_id, busy, arvalid, rlast, rready;
  logic [31:0] out_data;
  logic [63:0] araddr;
  logic [7:0]  arlen;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  dma_read #(
    .BusWidth   (BusWidth),
    .MaxBeats   (MaxBeats),
    .Outstanding(Outstanding)
  ) u_read (
    .clk_i,
    .rst_ni,
    .command_valid_i,
    .command_ready_o  (command_ready),
    .command_address_i,
    .command_words_i,
    .command_id_i,
    .out_valid_o      (out_valid),
    .out_ready_i,
    .out_data_o       (out_data),
    .out_last_o       (out_last),
    .out_error_o      (out_error),
    .out_id_o         (out_id),
    .busy_o           (busy),
    .m_axi_araddr_o   (araddr),
    .m_axi_arlen_o    (arlen),
    .m_axi_arvalid_o  (arvalid),
    .m_axi_arready_i  (arready_i),
    .m_axi_rdata_i    (rdata_i),
    .m_axi_rresp_i    (rresp_i),
    .m_axi_rlast_i    (rlast),
    .m_axi_rvalid_i   (rvalid_i),
    .m_axi_rready_o   (rready)
  );

  // A slave: beats of accepted bursts, in order. rvalid_i stays, with its data, until it is taken.
  logic [7:0] length_q[8];       // of accepted bursts
  logic [2:0] accepted_q, ended_q;
  logic [7:0] beat_q;
  logic [2:0] pending;
  logic       r_waits_q;
  logic [BusWidth-1:0] rdata_q;
  logic [1:0] rresp_q;
  logic       rlast_q;

  assign pending = accepted_q - ended_q;
  assign rlast   = Accounting ? beat_q == length_q[ended_q] : rlast_i;

  // What was offered in the cycle before and not taken.
  logic        ar_waits_q, out_waits_q;
  logic [63:0] araddr_q;
  logic [7:0]  arlen_q;
  logic [31:0] out_data_q;
  logic        out_last_q;

  // The commands: where the next burst of the current one begins, what is still to ask for, and what is still to come.
  logic        asking_q;
  logic [63:0] next_q;
  logic [15:0] unasked_q;          // words
  logic [15:0] words_q[4];         // of commands whose words have not all come
  logic [1:0]  taken_q, given_q;
  logic [15:0] come_q;
  logic [1:0]  heard_q;            // commands whose beats have all come: a word leaves later than its beat comes
  logic [15:0] heard_words_q;      // of the next one
  logic [3:0]  failed_q;           // by command: some beat was an error
  logic [15:0] beats_words;

  assign beats_words = (16'(arlen) + 16'd1) * 16'(Bytes / 4);

  always_ff @(posedge clk_i) begin
    ar_waits_q  <= rst_ni && arvalid && !arready_i;
    araddr_q    <= araddr;
    arlen_q     <= arlen;
    r_waits_q   <= rst_ni && rvalid_i && !rready;
    rdata_q     <= rdata_i;
    rresp_q     <= rresp_i;
    rlast_q     <= rlast_i;
    out_waits_q <= rst_ni && out_valid && !out_ready_i;
    out_data_q  <= out_data;
    out_last_q  <= out_last;
    if (!rst_ni) begin
      accepted_q <= '0;
      ended_q    <= '0;
      beat_q     <= '0;
      asking_q   <= 1'b0;
      taken_q    <= '0;
      given_q    <= '0;
      come_q     <= '0;
      heard_q    <= '0;
      heard_words_q <= '0;
      failed_q   <= '0;
    end else begin
      if (arvalid && arready_i) begin
        length_q[accepted_q] <= arlen;
        accepted_q           <= accepted_q + 1'b1;
        next_q               <= araddr + 64'(beats_words) * 4;
        unasked_q            <= (unasked_q > beats_words) ? unasked_q - beats_words : '0;
        if (unasked_q <= beats_words) asking_q <= 1'b0;
      end
      if (rvalid_i && rready) begin
        beat_q <= rlast ? '0 : beat_q + 1'b1;
        if (rlast) ended_q <= ended_q + 1'b1;
        if (rresp_i != '0) failed_q[heard_q] <= 1'b1;
        if (heard_words_q + 16'(Bytes / 4) >= words_q[heard_q]) begin
          heard_q       <= heard_q + 1'b1;
          heard_words_q <= '0;
        end else begin
          heard_words_q <= heard_words_q + 16'(Bytes / 4);
        end
      end
      if (command_valid_i && command_ready) begin
        asking_q         <= 1'b1;
        next_q           <= command_address_i;
        unasked_q        <= command_words_i;
        words_q[taken_q] <= command_words_i;
        failed_q[taken_q] <= 1'b0;
        taken_q          <= taken_q + 1'b1;
      end
      if (out_valid && out_ready_i) begin
        come_q   <= out_last ? '0 : come_q + 1'b1;
        if (out_last) given_q <= given_q + 1'b1;
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      // Short commands anywhere around the end of a page: carries into the upper bits are an adder's own business.
      assume (!command_valid_i || (command_address_i[2:0] == '0 && command_words_i inside {[1:7]}));
      assume (command_address_i[63:13] == 51'h1234);
      assume (!command_valid_i || 2'(taken_q - given_q) != 2'd3);
      if (Accounting && rvalid_i) assume (pending != '0);
      if (r_waits_q) assume (rvalid_i && rdata_i == rdata_q && rresp_i == rresp_q && rlast_i == rlast_q);

      if (ar_waits_q) assert (arvalid && araddr == araddr_q && arlen == arlen_q);
      if (out_waits_q) assert (out_valid && out_data == out_data_q && out_last == out_last_q);
      if (arvalid) begin
        assert (arlen < 8'(MaxBeats));
        assert (13'(araddr[11:0]) + (13'(arlen) + 13'd1) * 13'(Bytes) <= 13'd4096);
      end
      if (Accounting && arvalid) begin
        assert (asking_q && araddr == next_q);
        assert (beats_words <= unasked_q + 16'(Bytes / 4 - 1));
      end
      if (Accounting) begin
        assert (pending <= 3'(Outstanding + 1));
        assert (busy == (pending != '0 || arvalid));
      end
      if (Accounting && out_valid) begin
        assert (taken_q != given_q);
        assert (out_last == (come_q + 16'd1 == words_q[given_q]));
        if (out_last) assert (out_error == failed_q[given_q]);
      end
    end
  end

endmodule
