// SPDX-License-Identifier: Apache-2.0
// packet_buffer: what comes out are the words of the packets that were not dropped, whole, in order; it holds no more
// than it has places for; and its memory holds nothing but the words that are inside, once a place was written at all. All
// are when it has been wiped.
module packet_buffer_formal (
  input logic        clk_i,
  input logic        in_valid_i,
  input logic [31:0] in_data_i,
  input logic        in_last_i,
  input logic        in_drop_i,
  input logic        out_ready_i,
  input logic        wipe_i,
  input logic [3:0]  watched_i,  // which word, of those of packets that stay, is watched: any
  input logic [1:0]  place_i     // and which place of the memory
);

  localparam int unsigned Depth = 4;

  logic        rst_ni;
  logic        in_ready, out_valid, out_last, wiping;
  logic [2:0]  free;
  logic [31:0] out_data;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  packet_buffer #(
    .Depth(Depth)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_data_i,
    .in_last_i,
    .in_drop_i,
    .free_o     (free),
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_data_o (out_data),
    .out_last_o (out_last),
    .wipe_i,
    .wiping_o   (wiping)
  );

  logic [3:0]  written_q, committed_q, read_q, watched_q;
  logic [32:0] word_q;              // the watched one: {last, data}
  logic        waits_q;
  logic [32:0] previous_q;
  logic        dropped_q, wrapped_q;  // a packet was dropped, and a word came after it to where one had been read

  // Where the watched word is while it is inside.
  logic [3:0]  words_before;               // words ahead of it
  logic [32:0] word_inside;

  assign words_before = watched_q - read_q;

  logic [1:0] place_q;
  logic       written_place_q, wiped_q;  // it was written, and all have been wiped, since reset
  logic [3:0] place_after, undone;       // how far behind the oldest word it is; words of a dropped packet still there
  logic       empty;

  assign place_after = {2'd0, 2'(place_q - u_buffer.read_q[1:0])};
  assign undone      = u_buffer.undo_q ? 4'(u_buffer.wipe_q) + 4'd1 : 4'd0;
  assign empty       = written_q == read_q;

  always_comb begin
    if (words_before == '0 && out_valid) word_inside = {out_last, out_data};
    else if (words_before == 4'd1 && !u_buffer.u_ahead.ready_q) begin
      word_inside = u_buffer.u_ahead.spare_q;
    end else if (words_before < 4'(u_buffer.ahead_q)) begin
      word_inside = u_buffer.fetch_q[1] ? u_buffer.u_memory.read_data_o : u_buffer.u_memory.word_q;
    end else begin
      word_inside = u_buffer.u_memory.memory[watched_q[1:0]];
    end
  end

  always_ff @(posedge clk_i) begin
    watched_q  <= rst_ni ? watched_q : watched_i;
    place_q    <= rst_ni ? place_q : place_i;
    if (!rst_ni) {written_place_q, wiped_q} <= '0;
    else begin
      if (u_buffer.u_memory.write_enable_i && u_buffer.u_memory.write_address_i == place_q) written_place_q <= 1'b1;
      if (wiping && u_buffer.wipe_q == '0) wiped_q <= 1'b1;
    end
    waits_q    <= rst_ni && out_valid && !out_ready_i;
    previous_q <= {out_last, out_data};
    if (!rst_ni) begin
      written_q   <= '0;
      committed_q <= '0;
      read_q      <= '0;
      dropped_q   <= 1'b0;
      wrapped_q   <= 1'b0;
    end else begin
      if (in_valid_i && in_ready) begin
        written_q <= (in_last_i && in_drop_i) ? committed_q : written_q + 1'b1;
        if (in_last_i && !in_drop_i) committed_q <= written_q + 1'b1;
        if (written_q == watched_q) word_q <= {in_last_i, in_data_i};
      end
      if (in_valid_i && in_ready && in_last_i && in_drop_i) dropped_q <= 1'b1;
      if (in_valid_i && in_ready && dropped_q && written_q >= 4'(Depth)) wrapped_q <= 1'b1;
      if (out_valid && out_ready_i) read_q <= read_q + 1'b1;
    end
  end

  always_comb begin
    if (rst_ni) begin
      // how the counts here go with the module's own (packet_buffer_state)
      assert (written_q[2:0] == u_buffer.write_q && committed_q[2:0] == u_buffer.commit_q);
      assert (4'(committed_q - read_q) == 4'(3'(u_buffer.commit_q - u_buffer.read_q)) + 4'(u_buffer.ahead_q));
      assert (4'(written_q - committed_q) == 4'(u_buffer.partial_q));
      if (words_before < 4'(written_q - read_q)) assert (word_inside == word_q);

      if (wipe_i) assume (empty && !in_valid_i);
      if (in_ready) assert (!wiping && free != '0);
      if (!in_ready) assert (wiping || free == '0 || u_buffer.fetch_q[0] || u_buffer.undo_q);
      assert (4'(written_q - read_q) <= 4'(Depth + 2));

      // a place where no word is: behind those that are inside, and not one that is just being overwritten
      if (written_place_q && place_after >= 4'(3'(u_buffer.write_q - u_buffer.read_q)) + undone &&
          !(u_buffer.fetch_q[0] && place_q == u_buffer.left_q)) begin
        assert (u_buffer.u_memory.memory[place_q] == '0);
      end
      if (wiping) assert (written_place_q || 3'(2'(place_q - u_buffer.commit_q[1:0])) <= u_buffer.wipe_q);
      if (wiped_q) assert (written_place_q);
      if (out_valid) assert (read_q != committed_q);
      if (waits_q) assert (out_valid && {out_last, out_data} == previous_q);
      if (out_valid && read_q == watched_q) assert ({out_last, out_data} == word_q);

      // after a dropped packet, the last word of one that lies where words had been read before
      cover (wrapped_q && out_valid && out_last && read_q > 4'(Depth));
      // the same after a wipe
      cover (wiped_q && !wiping && dropped_q && out_valid && out_last);
    end
  end

endmodule
