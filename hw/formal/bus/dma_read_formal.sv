// SPDX-License-Identifier: Apache-2.0
// dma_read: AR keeps what it offers; bursts lie one behind the other, within their page, and add up to their command;
// no more are under way than one and Outstanding; each burst's words come out, in order, with the command's id, and the
// last one of a command marked, with its error.
module dma_read_formal
  import bus_pkg::*;
#(
  parameter int unsigned BusWidth = 64,
  parameter int unsigned MaxBeats = 2
) (
  input logic                clk_i,
  input command_t            command_i,
  input logic                command_id_i,
  input logic                out_ready_i,
  input logic                arready_i,
  input logic [BusWidth-1:0] rdata_i,
  input logic [1:0]          rresp_i,
  input logic                rvalid_i,
  input logic [3:0]          watched_i    // which word is followed through the output register: any
);

  localparam int unsigned Bytes = BusWidth / 8;
  localparam int unsigned Outstanding = 4;

  logic              rst_ni;
  logic              command_ready, out_id, busy, rlast;
  read_word_t        out;
  axi_read_request_t axi;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  dma_read #(
    .BusWidth   (BusWidth),
    .MaxBeats   (MaxBeats),
    .Outstanding(Outstanding)
  ) u_read (
    .clk_i,
    .rst_ni,
    .command_i,
    .command_ready_o(command_ready),
    .command_id_i,
    .out_o          (out),
    .out_ready_i,
    .out_id_o       (out_id),
    .busy_o         (busy),
    .m_axi_o        (axi),
    .m_axi_i        ('{arready: arready_i, rresp: rresp_i, rlast: rlast, rvalid: rvalid_i}),
    .m_axi_rdata_i  (rdata_i)
  );

  // A slave: beats of accepted bursts, in order. rvalid_i stays, with its data, until it is taken.
  logic [7:0] length_q[8];       // of accepted bursts
  logic [2:0] accepted_q, ended_q;
  logic [7:0] beat_q;
  logic [2:0] pending;
  logic       r_waits_q;
  logic [BusWidth-1:0] rdata_q;
  logic [1:0] rresp_q;

  assign pending = accepted_q - ended_q;
  assign rlast   = beat_q == length_q[ended_q];

  // What was offered in the cycle before and not taken.
  logic        ar_waits_q, out_waits_q;
  logic [63:0] araddr_q;
  logic [7:0]  arlen_q;
  logic [31:0] out_data_q;
  logic        out_last_q, out_id_q, out_error_q;

  // The command of AR: where its next burst begins, and what is still to ask for.
  logic        asking_q, id_q;
  logic [63:0] next_q;
  logic [15:0] unasked_q;          // words
  logic [15:0] beats_words;

  // Of accepted bursts: how many words of the command were still to ask for, whether that was the last of its bursts.
  logic [15:0] rest_q[8];
  logic        last_q[8], burst_id_q[8];

  // The burst of R: the next word on its way to the output register, or the last half of a beat, which is dropped.
  logic        part, word, ends;   // something is taken; a word goes there; it is the last one of its command
  logic [15:0] place_q;            // of this word in the burst, in words
  logic [15:0] words_here, parts_here;  // of the burst; with the half that is dropped
  logic        drops;              // that half is next
  logic        failed_q;           // an earlier beat of the command was an error
  logic [31:0] data;
  logic [15:0] come_q;             // words of the command that have left

  assign beats_words = (16'(axi.arlen) + 16'd1) * 16'(Bytes / 4);
  assign word        = u_read.word_valid && u_read.word_ready;
  assign part        = u_read.here && u_read.word_ready;
  assign parts_here  = (16'(length_q[ended_q]) + 16'd1) * 16'(Bytes / 4);
  assign words_here  = last_q[ended_q] ? rest_q[ended_q] : parts_here;
  assign drops       = pending != '0 && place_q == words_here;
  assign ends        = last_q[ended_q] && place_q + 1'b1 == words_here;
  assign data        = (BusWidth == 64 && place_q[0]) ? rdata_i[BusWidth-1-:32] : rdata_i[31:0];

  in_order #(
    .Width (35),
    .Places(2)
  ) u_words (
    .clk_i,
    .rst_ni,
    .in_valid_i (u_read.word_valid),
    .in_ready_i (u_read.word_ready),
    .in_data_i  ({burst_id_q[ended_q], ends && (failed_q || rresp_i != '0), ends, data}),
    .out_valid_i(out.valid),
    .out_ready_i,
    .out_data_i ({out_id, out.last && out.error, out.last, out.data}),
    .watched_i
  );

  always_ff @(posedge clk_i) begin
    ar_waits_q  <= rst_ni && axi.arvalid && !arready_i;
    araddr_q    <= axi.araddr;
    arlen_q     <= axi.arlen;
    r_waits_q   <= rst_ni && rvalid_i && !axi.rready;
    rdata_q     <= rdata_i;
    rresp_q     <= rresp_i;
    out_waits_q <= rst_ni && out.valid && !out_ready_i;
    out_data_q  <= out.data;
    out_last_q  <= out.last;
    out_id_q    <= out_id;
    out_error_q <= out.error;
    if (!rst_ni) begin
      accepted_q <= '0;
      ended_q    <= '0;
      beat_q     <= '0;
      asking_q   <= 1'b0;
      place_q    <= '0;
      failed_q   <= 1'b0;
      come_q     <= '0;
    end else begin
      if (axi.arvalid && arready_i) begin
        length_q[accepted_q]   <= axi.arlen;
        rest_q[accepted_q]     <= unasked_q;
        last_q[accepted_q]     <= unasked_q <= beats_words;
        burst_id_q[accepted_q] <= id_q;
        accepted_q             <= accepted_q + 1'b1;
        next_q                 <= axi.araddr + 64'(beats_words) * 4;
        unasked_q              <= (unasked_q > beats_words) ? unasked_q - beats_words : '0;
        if (unasked_q <= beats_words) asking_q <= 1'b0;
      end
      if (rvalid_i && axi.rready) begin
        beat_q   <= rlast ? '0 : beat_q + 1'b1;
        failed_q <= !(last_q[ended_q] && rlast) && (failed_q || rresp_i != '0);
        if (rlast) ended_q <= ended_q + 1'b1;
      end
      if (part) place_q <= (place_q + 1'b1 == parts_here) ? '0 : place_q + 1'b1;
      if (command_i.valid && command_ready) begin
        asking_q  <= 1'b1;
        next_q    <= command_i.address;
        unasked_q <= command_i.words;
        id_q      <= command_id_i;
      end
      if (out.valid && out_ready_i) come_q <= out.last ? '0 : come_q + 1'b1;
    end
  end

  // What the module has of the same things: where its next burst begins, the bursts in its queue, half a beat.
  logic [63:0] to_come;
  logic [2:0]  bursts[5];          // {id, last, half}
  logic        upper;
  logic [2:0]  index;
  logic [3:0]  words_before;       // the followed word
  logic [34:0] word_inside;

  if (BusWidth == 64) begin : gen_upper
    assign upper = u_read.gen_halves.upper_q;
  end else begin : gen_no_upper
    assign upper = 1'b0;
  end

  function automatic logic [15:0] beats_of(logic [15:0] words);
    return 16'((17'(words) + 17'(Bytes / 4 - 1)) >> $clog2(Bytes / 4));
  endfunction

  always_comb begin
    unique case (u_read.state_q)
      2'd1: to_come = axi.araddr + (64'(u_read.carry_q) << 12);      // Page
      2'd2: to_come = axi.araddr + (64'(u_read.far_carry_q) << 38);  // Size
      default: to_come = axi.araddr;
    endcase
    for (int unsigned i = 0; i < 5; i++) begin
      if (!u_read.current_valid) bursts[i] = u_read.u_bursts.words_q[2'(u_read.u_bursts.read_q + 2'(i))];
      else if (i == 0) bursts[i] = u_read.current;
      else bursts[i] = u_read.u_bursts.words_q[2'(u_read.u_bursts.read_q + 2'(i - 1))];
    end
  end

  assign words_before = u_words.watched_q - u_words.read_q;
  assign word_inside  = words_before == '0 ? u_read.u_out.out_data_o : u_read.u_out.spare_q;

  always_comb begin
    index = '0;
    if (rst_ni) begin
      assume (!command_i.valid || (command_i.address[2:0] == '0 && command_i.words != '0));
      if (rvalid_i) assume (pending != '0);
      if (r_waits_q) assume (rvalid_i && rdata_i == rdata_q && rresp_i == rresp_q);

      // how the counts here go with the module's own, which makes the rest inductive
      assert (asking_q == (u_read.state_q != 2'd0));
      if (asking_q) begin
        assert (unasked_q != '0 && beats_of(unasked_q) == u_read.beats_q && next_q == to_come);
        assert (u_read.id_q == id_q && u_read.half_q == (BusWidth == 64 && unasked_q[0]));
        assert (axi.araddr[$clog2(Bytes)-1:0] == '0);
      end
      if (u_read.state_q == 2'd2) begin  // Size
        assert (u_read.most_q inside {[9'd1:9'(MaxBeats)]});
        assert (13'(axi.araddr[11:0]) + 13'(u_read.most_q) * 13'(Bytes) <= 13'd4096);
      end
      if (u_read.state_q == 2'd3) begin  // Offer
        assert (u_read.burst_q inside {[9'd1:9'(MaxBeats)]} && 16'(u_read.burst_q) <= u_read.beats_q);
        assert (u_read.last_q == (16'(u_read.burst_q) == u_read.beats_q));
        assert (u_read.u_bursts.count_q != 3'(Outstanding));
      end
      assert (u_read.u_bursts.count_q <= 3'(Outstanding));
      assert (u_read.oldest_valid == (u_read.u_bursts.count_q != '0));
      assert (2'(u_read.u_bursts.write_q - u_read.u_bursts.read_q) == u_read.u_bursts.count_q[1:0]);
      if (u_read.issued_ready) assert (u_read.u_bursts.count_q != 3'(Outstanding));
      assert (!(u_read.current_valid && u_read.oldest_ready));
      assert (pending == u_read.u_bursts.count_q + 3'(u_read.current_valid));
      for (int unsigned i = 0; i < 5; i++) begin
        index = ended_q + 3'(i);
        if (3'(i) < pending) begin
          assert (bursts[i] == {burst_id_q[index], last_q[index], BusWidth == 64 && rest_q[index][0]});
          assert (length_q[index] < 9'(MaxBeats));
          if (last_q[index]) assert (beats_of(rest_q[index]) == 16'(length_q[index]) + 16'd1);
        end
      end
      assert (place_q == 16'(beat_q) * 16'(Bytes / 4) + 16'(upper));
      if (pending != '0) assert (beat_q <= length_q[ended_q] && place_q < parts_here);
      else assert (place_q == '0);
      if (upper) assert (r_waits_q);
      assert (u_read.error_q == (!drops && (failed_q || (upper && rresp_q != '0))));
      assert (u_words.held == 4'(out.valid) + 4'(!u_read.u_out.ready_q) && (out.valid || u_read.u_out.ready_q));
      if (words_before < u_words.held) begin
        assert ({word_inside[34], word_inside[33] && word_inside[32], word_inside[32:0]} == u_words.followed_q);
      end

      // AR
      if (ar_waits_q) assert (axi.arvalid && axi.araddr == araddr_q && axi.arlen == arlen_q);
      if (axi.arvalid) begin
        assert (axi.arlen < 9'(MaxBeats));
        assert (13'(axi.araddr[11:0]) + (13'(axi.arlen) + 13'd1) * 13'(Bytes) <= 13'd4096);
        assert (asking_q && axi.araddr == next_q);
        assert (17'(beats_words) <= 17'(unasked_q) + 17'(Bytes / 4 - 1));
      end
      if (command_ready) assert (!asking_q);
      assert (pending <= 3'(Outstanding + 1));
      assert (busy == (pending != '0 || axi.arvalid));

      // R: a beat is taken with its last half, the last beat of a burst with the last half of the burst
      if (part) assert (pending != '0 && rvalid_i && place_q / 16'(Bytes / 4) == 16'(beat_q));
      if (part) assert (word == (place_q < words_here));
      if (axi.rready && rvalid_i) assert (part && rlast == (place_q + 1'b1 == parts_here));
      if (part && place_q + 1'b1 == parts_here) assert (axi.rready);

      // out: what u_words says, and the rest of what is on offer
      if (out_waits_q) begin
        assert (out.valid && out.data == out_data_q && out.last == out_last_q);
        assert (out_id == out_id_q && out.error == out_error_q);
      end

      // the last word of a command of more than one burst, some beat of which was an error
      cover (out.valid && out.last && out.error && come_q >= 16'(MaxBeats * Bytes / 4));
    end
  end

endmodule
