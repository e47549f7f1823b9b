// SPDX-License-Identifier: Apache-2.0
// One of the messages that an AES engine interleaves: the fragment under way, its blocks on the way to the cipher and
// back, and what is said of it when it is done. Used by aes_messages, which has one for each round unit.
//
//   aes_reader -- 16 blocks at a time --> in FIFO --> cipher --> out FIFO -- 16 blocks at a time --> aes_writer
//
//   begins_i      1                                   with fragment_i
//   read_valid_o      1.......1                       as long as there is room for the blocks asked for
//   in_block_i            B0 ........ B15
//   cipher               first, IV; then the chain of the cipher goes on, from fragment to fragment
//   write_valid_o                         1           16 blocks, or the rest, are there and none of them was refused
//   ended_o                                       1   all is written, or nothing is under way of a fragment that failed
//
// A group of blocks is offered to the writer when all of it is here, so when its read is known to have succeeded.
// After a failure nothing is asked for or offered any more; blocks that still come are dropped.
//
// Contract    A fragment that was refused (status_i is not Ok) begins and ends as one that failed.
//             No more than 2^Log2 blocks are between read_valid_o and the writer, so no FIFO overflows; up to seven groups
//             are being read or written. failed_i: something of this message could not be read or written.
//             wipe_i, for at least 2^Log2 cycles and until idle_o: drops all and overwrites it; a fragment under way, or one
//             that begins, ends in EmptySlot.
// Parameters  Log2: of the blocks that a FIFO holds, at least 5; two groups hide the bus from a cipher of eleven cycles a
//             block, eight from one of one.
module aes_message
  import aes_descriptor_pkg::*;
  import aes_engine_pkg::*;
#(
  parameter int unsigned Log2 = 5
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            wipe_i,

  output logic            ready_o,          // for a fragment
  input  logic            begins_i,         // pulse, ready_o was high not long ago: the one on offer is this message's
  input  logic            breaks_i,         // pulse, while it is idle: nothing can be carried on
  input  aes_descriptor_t fragment_i,
  input  aes_status_e     status_i,
  input  logic [15:0]     index_i,
  input  logic            slot_full_i,      // that of the fragment on offer

  output logic            read_valid_o,     // blocks to read
  input  logic            read_ready_i,
  output logic [63:0]     read_address_o,
  output logic [4:0]      read_blocks_o,
  input  logic            read_end_i,       // pulse: all of them came, or failed
  input  logic            in_valid_i,
  input  aes_pkg::block_t in_block_i,

  output to_cipher_t      cipher_o,
  input  logic            cipher_ready_i,
  input  logic            key_next_i,       // pulse: the block is taken, and there is more of the key
  input  logic            key_end_i,        // pulse: it is there
  input  from_cipher_t    result_i,

  output logic            write_valid_o,    // blocks to write
  input  logic            write_ready_i,
  output logic [63:0]     write_address_o,
  output logic [4:0]      write_blocks_o,
  input  logic            write_end_i,      // pulse: all of them are in memory, or failed
  output aes_pkg::block_t write_block_o,
  input  logic            write_next_i,     // it is taken

  input  logic            failed_i,
  output ended_t          ended_o,
  input  logic            ended_ready_i,
  output logic            idle_o,
  output logic            key_o             // a key is on its way to its slot
);

  localparam int unsigned Group = 16;  // blocks

  // A bit a state: it selects what hundreds of flip-flops load
  typedef enum logic [2:0] {
    Idle = 3'b001,
    Run  = 3'b010,
    Done = 3'b100
  } state_e;

  state_e          state_q;
  aes_descriptor_t fragment_q;
  logic            first_q;        // the next block for the cipher begins the message
  logic            chain_q;        // something can be carried on
  logic            failed_q;
  aes_status_e     status_q;
  logic [27:0]     to_read_q, to_write_q;          // blocks that no group has yet
  logic [4:0]      read_blocks_q, write_blocks_q;  // of the next group, a cycle behind
  logic            read_known_q, write_known_q;    // what is in flip-flops counts the last group that went
  logic            read_valid_q, write_valid_q;
  logic            read_q, write_q, gone_q;        // in the last cycle: what is counted a cycle later
  logic            room_q;                         // for the next group to read
  logic [Log2:0]   inside_q;                       // blocks asked for and not yet given to the writer
  logic [Log2:0]   unclaimed_q;                    // of those behind the cipher: in no group yet
  logic [2:0]      reading_q, writing_q;           // groups under way
  logic [15:0]     index_q;
  logic [31:0]     cycles_q;
  logic            dropped_q;                      // what comes and what is here
  logic            wipe_q;                         // of what is behind the cipher, and the IV: so no wire goes to all
  logic            in_here, read, write, refuse, idle, running, done, runs;
  assign {done, running, idle} = state_q;

  assign ready_o          = idle;
  assign read_blocks_o    = read_blocks_q;
  assign write_blocks_o   = write_blocks_q;
  assign runs             = running && !failed_q;
  assign read_valid_o     = read_valid_q && !failed_q;
  assign write_valid_o    = write_valid_q && !failed_q;
  assign read             = read_valid_o && read_ready_i;
  assign write            = write_valid_o && write_ready_i;
  assign read_address_o   = fragment_q.source_address;
  assign write_address_o  = fragment_q.destination_address;
  assign cipher_o.valid   = in_here && !fragment_q.load_key;
  assign cipher_o.key     = in_here && fragment_q.load_key && runs && reading_q == '0 && !wipe_i;
  assign cipher_o.first   = first_q;
  assign cipher_o.slot    = fragment_q.slot;
  assign cipher_o.iv      = {fragment_q.iv_high, fragment_q.iv_low};
  assign refuse           = result_i.valid && result_i.refused;
  // SEC_CM: JOB.OWN_ANSWER
  assign ended_o          = '{valid: done, status: status_q, index: index_q, tag: fragment_q.tag,
                              marked: fragment_q.raise_interrupt, cycles: cycles_q};
  assign idle_o           = idle;
  assign key_o            = !idle && fragment_q.load_key;

  aes_block_fifo #(
    .Log2(Log2)
  ) u_in (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .in_valid_i,
    .in_data_i  (in_block_i),
    .out_valid_o(in_here),
    .out_ready_i(fragment_q.load_key ? key_next_i || key_end_i || dropped_q : cipher_ready_i),
    .out_data_o (cipher_o.block)
  );

  logic out_here;
  aes_block_fifo #(
    .Log2(Log2)
  ) u_out (
    .clk_i,
    .rst_ni,
    .wipe_i     (wipe_q),
    .in_valid_i (result_i.valid),
    .in_data_i  (result_i.block),  // SEC_CM: KEY.NOT_READABLE
    .out_valid_o(out_here),
    .out_ready_i(write_next_i || dropped_q),
    .out_data_o (write_block_o)
  );
  logic unused;
  assign unused = &{fragment_q.length, fragment_q.first, fragment_q.message};

  // Blocks that leave for the writer, are dropped, or were a key
  logic gone;
  assign gone = fragment_q.load_key ? in_here && (key_next_i || key_end_i || dropped_q) : out_here && (write_next_i || dropped_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= Idle;
      fragment_q     <= '0;
      first_q        <= 1'b0;
      chain_q        <= 1'b0;
      failed_q       <= 1'b0;
      status_q       <= AesOk;
      to_read_q      <= '0;
      to_write_q     <= '0;
      inside_q       <= '0;
      reading_q      <= '0;
      writing_q      <= '0;
      index_q        <= '0;
      cycles_q       <= '0;
      read_blocks_q  <= '0;
      write_blocks_q <= '0;
      read_known_q   <= 1'b0;
      write_known_q  <= 1'b0;
      read_valid_q   <= 1'b0;
      write_valid_q  <= 1'b0;
      read_q         <= 1'b0;
      write_q        <= 1'b0;
      gone_q         <= 1'b0;
      dropped_q      <= 1'b0;
      wipe_q         <= 1'b1;
      room_q         <= 1'b0;
      unclaimed_q    <= '0;
    end else begin
      // Offers of groups, from flip-flops alone
      read_blocks_q  <= to_read_q > 28'(Group) ? 5'(Group) : to_read_q[4:0];
      write_blocks_q <= to_write_q > 28'(Group) ? 5'(Group) : to_write_q[4:0];
      read_q         <= read;
      write_q        <= write;
      gone_q         <= gone;
      dropped_q      <= failed_q && writing_q == '0;
      wipe_q         <= wipe_i;
      read_known_q   <= runs && !read && !read_q;
      write_known_q  <= runs && !write && !write_q;
      room_q         <= inside_q <= (Log2 + 1)'((1 << Log2) - Group);
      read_valid_q   <= runs && !read && read_known_q && read_blocks_q != '0 && room_q && reading_q != '1;
      write_valid_q  <= runs && !write && write_known_q && write_blocks_q != '0 && !fragment_q.load_key &&
                        writing_q != '1 && unclaimed_q >= (Log2 + 1)'(write_blocks_q);

      if (read_q) begin
        to_read_q                 <= to_read_q - 28'(read_blocks_q);
        fragment_q.source_address <= fragment_q.source_address + 64'({read_blocks_q, 4'd0});
      end
      reading_q <= reading_q + 3'(read) - 3'(read_end_i);
      writing_q <= writing_q + 3'(write) - 3'(write_end_i);
      if (write_q) begin
        to_write_q                     <= to_write_q - 28'(write_blocks_q);
        fragment_q.destination_address <= fragment_q.destination_address + 64'({write_blocks_q, 4'd0});
      end
      inside_q    <= inside_q + (read_q ? (Log2 + 1)'(read_blocks_q) : '0) - (Log2 + 1)'(gone_q);
      unclaimed_q <= unclaimed_q + (Log2 + 1)'(result_i.valid) - (write_q ? (Log2 + 1)'(write_blocks_q) : '0);
      if (cipher_o.valid && cipher_ready_i) first_q <= 1'b0;
      if (!done) cycles_q <= cycles_q + 32'd1;

      unique case (1'b1)
        idle: begin
          // Whatever is on offer: what decides that it is taken goes to the state alone
          fragment_q  <= fragment_i;
          index_q     <= index_i;
          cycles_q    <= '0;
          to_read_q   <= fragment_i.length[31:4];
          to_write_q  <= fragment_i.length[31:4];
          unclaimed_q <= '0;
          first_q     <= fragment_i.first;
          failed_q    <= 1'b0;
          status_q    <= AesOk;
          if (breaks_i) chain_q <= 1'b0;
          if (wipe_i) begin
            failed_q <= 1'b1;  // SEC_CM: JOB.REFUSED_WHILE_ERASING
            status_q <= AesEmptySlot;
          end else if (status_i != AesOk) begin
            failed_q <= 1'b1;
            status_q <= status_i;
          end else if (!fragment_i.load_key && !fragment_i.first && !chain_q) begin
            failed_q <= 1'b1;
            status_q <= AesBrokenChain;
          end else if (!fragment_i.load_key && !slot_full_i) begin
            failed_q <= 1'b1;  // SEC_CM: KEY.LOADED_WHOLE
            status_q <= AesEmptySlot;
          end
          if (begins_i) state_q <= Run;
        end
        running: begin
          if (fragment_q.load_key ? key_end_i : write_known_q && write_blocks_q == '0 && writing_q == '0) state_q <= Done;
          if (failed_q && reading_q == '0 && writing_q == '0 && inside_q == '0) state_q <= Done;
        end
        default: if (ended_ready_i) begin
          state_q <= Idle;
          if (!fragment_q.load_key) chain_q <= status_q == AesOk && !fragment_q.last;
        end
      endcase

      if (runs) begin
        if (failed_i || refuse) begin
          failed_q <= 1'b1;
          status_q <= failed_i ? AesBusFault : AesEmptySlot;
        end
      end
      if (wipe_i) begin
        chain_q           <= 1'b0;  // SEC_CM: JOB.REFUSED_WHILE_ERASING
        inside_q          <= '0;
        unclaimed_q       <= '0;
        first_q           <= 1'b0;
        if (running) begin
          failed_q <= 1'b1;
          if (!failed_q) status_q <= AesEmptySlot;  // SEC_CM: JOB.STOPPED
        end
      end
      if (wipe_q) begin
        fragment_q.iv_low  <= '0;
        fragment_q.iv_high <= '0;
      end
    end
  end

endmodule
