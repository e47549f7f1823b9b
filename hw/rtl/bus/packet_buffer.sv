// SPDX-License-Identifier: Apache-2.0
// Packet buffer: a FIFO in block RAM that lets a packet out only when all of it is in, and forgets one that went bad.
//
//   cycle      0    1    2    3    4    5    6    7    8
//   in         A0   A1   A2l                                     l: last; a word a cycle
//   read                           A0        A1        A2        from the second cycle after the last word came
//   out                                           A0        A1   three cycles later, a word every other cycle
//
// A packet whose last word comes with `in_drop_i` leaves no trace. Neither does a word that has left: its place in memory
// is overwritten in the cycle after it was read, in which none is taken. So the memory holds the words that are inside,
// and zeros. What was in it before reset is overwritten by `wipe_i`: Depth + 4 cycles.
//
// Contract    A packet has at most Depth words, else it never fits and `in_ready_o` stays low: see `free_o`. After one
//             that is dropped it is low for as many cycles as the packet had words.
//             `wipe_i` (a pulse) comes only when nothing is inside or on offer, not even a part of a packet. Reset: nothing is
//             inside; the memory keeps its words.
// Parameters  Depth: words, a power of two.
module packet_buffer #(
  parameter int unsigned Depth = 512,
  localparam int unsigned CountWidth = $clog2(Depth) + 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  in_valid_i,
  output logic                  in_ready_o,
  input  logic [31:0]           in_data_i,
  input  logic                  in_last_i,
  input  logic                  in_drop_i,    // looked at with in_last_i alone
  output logic [CountWidth-1:0] free_o,       // words that fit now

  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [31:0]           out_data_o,
  output logic                  out_last_o,

  input  logic                  wipe_i,
  output logic                  wiping_o
);

  if (Depth < 4 || (Depth & (Depth - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "packet_buffer: Depth must be a power of two, at least 4");
  end

  localparam int unsigned AddressWidth = $clog2(Depth);
  localparam int unsigned Ahead = 2;  // words between the memory and the output

  logic [CountWidth-1:0] write_q, commit_q, read_q;
  logic [CountWidth-1:0] free_q, partial_q;   // words that fit; words of the packet that comes in
  logic                  full_q;              // free_q is 0
  logic                  waiting_q;           // a word is there to be read; known two cycles after a reading
  logic [1:0]            fetch_q;             // readings of the last two cycles
  logic [1:0]            ahead_q;
  logic                  take, write, drop, fetch, leave;
  logic [AddressWidth-1:0] left_q;            // the place that was read in the cycle before
  logic                  undo_q, wiping_q;    // a dropped packet, or all, is being overwritten
  logic [CountWidth-1:0] wipe_q;              // words of it behind the next one
  logic                  wipes;
  logic                  unused_ready;
  logic [32:0]           read_word;           // {last, data}

  assign free_o     = free_q;
  assign in_ready_o = !full_q && !fetch_q[0] && !undo_q && !wiping_q;
  assign take       = in_valid_i && in_ready_o;
  assign drop       = take && in_last_i && in_drop_i;
  assign write      = take && !drop;
  assign fetch      = waiting_q && !fetch_q[0] && ahead_q != 2'(Ahead);
  assign leave      = out_valid_o && out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q   <= '0;
      commit_q  <= '0;
      read_q    <= '0;
      free_q    <= CountWidth'(Depth);
      partial_q <= '0;
      full_q    <= 1'b0;
      waiting_q <= 1'b0;
      fetch_q   <= '0;
      ahead_q   <= '0;
    end else begin
      if (take) begin
        write_q   <= drop ? commit_q : write_q + 1'b1;
        partial_q <= in_last_i ? '0 : partial_q + 1'b1;
        if (in_last_i && !in_drop_i) commit_q <= write_q + 1'b1;
      end
      if (drop) free_q <= free_q + partial_q + CountWidth'(fetch);
      else free_q <= free_q - CountWidth'(write) + CountWidth'(fetch);
      if (drop) full_q <= 1'b0;
      else if (write != fetch) full_q <= write && free_q == CountWidth'(1);
      if (fetch) read_q <= read_q + 1'b1;
      waiting_q <= read_q != commit_q;
      fetch_q   <= {fetch_q[0], fetch};
      ahead_q   <= ahead_q + 2'(fetch) - 2'(leave);
    end
  end

  always_ff @(posedge clk_i) left_q <= read_q[AddressWidth-1:0];

  // The memory's only port for writing: what was read goes first, in the other cycles words come in or are overwritten.
  logic [AddressWidth-1:0] write_address;
  always_comb begin
    if (fetch_q[0]) write_address = left_q;
    else if (undo_q || wiping_q) write_address = commit_q[AddressWidth-1:0] + wipe_q[AddressWidth-1:0];
    else write_address = write_q[AddressWidth-1:0];
  end

  ram #(
    .Width(33),
    .Depth(Depth)
  ) u_memory (
    .clk_i,
    .write_enable_i (write || fetch_q[0] || undo_q || wiping_q),  // SEC_CM: ERASE.OPERAND_BUFFER
    .write_address_i(write_address),
    .write_data_i   (in_ready_o ? {in_last_i, in_data_i} : '0),
    .read_address_i (read_q[AddressWidth-1:0]),
    .read_data_o    (read_word)
  );

  skid_buffer #(
    .Width(33)
  ) u_ahead (
    .clk_i,
    .rst_ni,
    .in_valid_i (fetch_q[1]),
    .in_ready_o (unused_ready),
    // SEC_CM: ERASE.OPERAND_BUFFER
    .in_data_i  (fetch_q[1] ? read_word : '0),  // no word stays behind
    .out_valid_o,
    .out_ready_i,
    .out_data_o ({out_last_o, out_data_o})
  );

  // From wipe_q down to 0. Four words more when all are overwritten: the memory's registers have zeros then, too.
  assign wiping_o = wiping_q;
  assign wipes    = wiping_q || (undo_q && !fetch_q[0]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      undo_q   <= 1'b0;
      wiping_q <= 1'b0;
      wipe_q   <= '0;
    end else begin
      undo_q   <= (drop && partial_q != '0) || (undo_q && (fetch_q[0] || wipe_q != '0));
      wiping_q <= wipe_i || (wiping_q && wipe_q != '0);
      if (wipe_i) wipe_q <= CountWidth'(Depth + 3);
      else if (drop) wipe_q <= partial_q - 1'b1;
      else wipe_q <= wipe_q - CountWidth'(wipes);
    end
  end

endmodule
