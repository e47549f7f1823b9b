// SPDX-License-Identifier: Apache-2.0
// descriptor_fetch: a job, its context and its operands are of one descriptor, and of no other. The descriptors that are
// held, at most two, become in their order each a job, with the slot, lengths and context of its own words, or a reject
// with its own context; a packet of operands is read from that descriptor's address, and goes with that job alone.
module descriptors_formal
  import garner_pkg::*;
  import descriptor_pkg::*;
  import bus_pkg::*;
(
  input logic        clk_i,
  input logic [15:0] tail_i,
  input logic        command_ready_i,
  input read_word_t  read_i,
  input logic        read_id_i,
  input logic        operand_ready_i,
  input logic [9:0]  operand_free_i,
  input logic        context_valid_i,
  input logic [3:0]  context_index_i,
  input logic        job_ready_i,
  input logic        reject_ready_i
);

  logic        rst_ni;
  logic [15:0] head;
  logic        overrun, fetched, more, quiet, command_id, read_ready, context_take, job_valid, descriptor_fault;
  logic        operand_fault;
  command_t    command;
  read_word_t  operand;
  logic [3:0]  context_index;
  context_t    context_fresh;
  job_t        job;
  reject_t     reject;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  descriptor_fetch u_fetch (
    .clk_i,
    .rst_ni,
    .enable_i          (1'b1),
    .hold_i            (1'b0),
    .restart_i         (1'b0),
    .ring_i            ('{base: '0, log2: 4'd15, tail: tail_i}),
    .head_o            (head),
    .overrun_o         (overrun),
    .fetched_o         (fetched),
    .more_o            (more),
    .quiet_o           (quiet),
    .command_o         (command),
    .command_ready_i,
    .command_id_o      (command_id),
    .read_i,
    .read_ready_o      (read_ready),
    .read_id_i,
    .operand_o         (operand),
    .operand_ready_i,
    .operand_free_i,
    .context_valid_i,
    .context_index_i,
    .context_take_o    (context_take),
    .context_index_o   (context_index),
    .context_o         (context_fresh),
    .job_valid_o       (job_valid),
    .job_ready_i,
    .job_o             (job),
    .reject_o          (reject),
    .reject_ready_i,
    .descriptor_fault_o(descriptor_fault),
    .operand_fault_o   (operand_fault)
  );

  // Descriptors: the one that is being read, then those held, the older first
  typedef struct packed {
    logic [15:0] index;
    logic        failed;   // a read of it failed
    logic        reserved; // a reserved word was not 0
    logic [UsedWords-1:0][31:0] words;
  } held_t;

  held_t       coming_q, held_q[2];
  logic [1:0]  count_q;           // of those held
  logic [3:0]  word_q;            // of the one that comes
  logic        asked_q, operands_asked_q;
  logic        packet_q;          // the operands of the oldest have come, and are not dropped
  logic        dropped_q;         // they were
  logic        word_comes, leaves;
  held_t       next, newest;
  job_t        due;
  context_t    due_context;
  logic        good;

  assign word_comes = read_i.valid && read_ready && !read_id_i;
  assign leaves     = (job_valid && job_ready_i) || (reject.valid && reject_ready_i);

  always_comb begin
    next = coming_q;
    for (int unsigned i = 0; i < UsedWords; i++) if (word_q == 4'(i)) next.words[i] = read_i.data;
    next.failed   = read_i.error;
    next.reserved = coming_q.reserved || (word_q > 4'(UsedWords - 1) && read_i.data != '0);
    next.index    = head;
  end

  // What becomes of a descriptor
  function automatic job_t job_of(held_t d);
    return unpack_job(d.words[0], d.words[1]);
  endfunction

  function automatic context_t context_of(held_t d);
    descriptor_t fields = descriptor_t'(d.words);
    return '{index: d.index, tag: d.failed ? '0 : fields.header.tag, marked: fields.raise_interrupt && !d.failed,
             result_address: fields.result_address[63:AddressZeros],
             result_words: 16'(fields.result_bytes / 4)};
  endfunction

  function automatic logic bad_format(held_t d);
    descriptor_t fields = descriptor_t'(d.words);
    return d.reserved || reserved_job_bits(d.words[0], d.words[1]) || reserved_descriptor_bits(fields) ||
           fields.operand_address % 64'(ring_pkg::AddressAlignment) != '0 ||
           fields.result_address % 64'(ring_pkg::AddressAlignment) != '0;
  endfunction

  function automatic logic bad_length(held_t d);
    descriptor_t fields = descriptor_t'(d.words);
    return fields.operand_bytes % ring_pkg::LengthAlignment != '0 ||
           fields.result_bytes % ring_pkg::LengthAlignment != '0 ||
           has_operands(fields.header.op) != (fields.operand_bytes != '0) || fields.operand_bytes > 32'd2048 ||
           fields.result_bytes > 32'd2048 || (has_result(fields.header.op) && fields.result_bytes == '0);
  endfunction

  function automatic status_e refusal(held_t d);
    return d.failed ? StatusBusFault : bad_format(d) ? StatusBadDescriptor : bad_length(d) ? StatusBadLength : StatusOk;
  endfunction

  descriptor_t oldest;

  assign oldest      = descriptor_t'(held_q[0].words);
  assign due         = job_of(held_q[0]);
  assign due_context = context_of(held_q[0]);
  assign good        = refusal(held_q[0]) == StatusOk;
  assign newest      = held_q[count_q == 2'd2];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q          <= '0;
      word_q           <= '0;
      coming_q         <= '0;
      asked_q          <= 1'b0;
      operands_asked_q <= 1'b0;
      packet_q         <= 1'b0;
      dropped_q        <= 1'b0;
    end else begin
      if (word_comes) begin
        word_q   <= word_q + 1'b1;
        coming_q <= next;
        if (read_i.last) begin
          word_q            <= '0;
          coming_q.reserved <= 1'b0;
          asked_q           <= 1'b0;
        end
      end
      if (leaves) held_q[0] <= held_q[1];
      if (fetched) held_q[count_q[0] ^ leaves] <= next;
      count_q <= count_q + 2'(fetched) - 2'(leaves);
      if (command.valid && command_ready_i) begin
        if (command_id) operands_asked_q <= 1'b1;
        else asked_q <= 1'b1;
      end
      if (operand.valid && operand_ready_i && operand.last) begin
        operands_asked_q      <= 1'b0;
        {packet_q, dropped_q} <= {!operand.error, operand.error};
      end else if (leaves) begin
        {packet_q, dropped_q} <= 2'b00;
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      // dma_read: it gives what it was asked for, in order, 16 words of a descriptor
      if (read_i.valid && !read_id_i) assume (asked_q && read_i.last == (word_q == 4'd15));
      if (read_i.valid && read_id_i) assume (operands_asked_q);

      if (fetched) assert (count_q != 2'd2);
      // operands: of the oldest, from its address, before anything else becomes of it
      if (command.valid && command_id) begin
        assert (count_q != '0 && good && has_operands(due.op) && !packet_q && !dropped_q && !operands_asked_q);
        assert (command.address == oldest.operand_address);
        assert (32'(command.words) << 2 == oldest.operand_bytes);
      end
      if (operand.valid) assert (operands_asked_q && {operand.last, operand.data} == {read_i.last, read_i.data});
      // a job: the oldest's, with its operands and its context
      if (job_valid) begin
        assert (count_q != '0 && good && packet_q == has_operands(due.op) && !operands_asked_q);
        assert ({job.op, job.scheme, job.slot, job.bits, job.exponent_bits} ==
                {due.op, due.scheme, due.slot, due.bits, due.exponent_bits});
        assert (job.tag == 16'(context_index));
        assert (context_fresh == due_context);
      end
      assert (context_take == (job_valid && job_ready_i));
      // a reject: the oldest's, whose operands are not kept
      if (reject.valid) begin
        assert (count_q != '0 && reject.job_context == due_context && !packet_q && !operands_asked_q && (dropped_q || !good));
        assert (reject.status == (dropped_q ? StatusBusFault : refusal(held_q[0])));
      end

      // How the descriptors here go with the module's own, which makes the rest inductive
      assert (u_fetch.ring_state_q <= 3'd5 && u_fetch.state_q <= 3'd4);
      assert (count_q == 2'(u_fetch.ring_state_q inside {3'd3, 3'd4}) + 2'(u_fetch.state_q inside {[3'd2:3'd4]}));
      assert (u_fetch.state_q != 3'd1 || u_fetch.ring_state_q == 3'd4);
      assert (asked_q == (u_fetch.ring_state_q == 3'd2) && operands_asked_q == (u_fetch.state_q == 3'd2));
      if (u_fetch.ring_state_q == 3'd1) assert (word_q == '0 && !coming_q.reserved);                      // Command
      if (u_fetch.ring_state_q == 3'd2) begin                                                             // Read
        assert (u_fetch.word_q == word_q && u_fetch.reserved_q == coming_q.reserved);
        for (int unsigned i = 0; i < UsedWords; i++) begin
          if (4'(i) < word_q) assert (u_fetch.descriptor_q[i] == coming_q.words[i]);
        end
      end else begin
        assert (word_q == '0 && !coming_q.reserved);
      end
      if (u_fetch.ring_state_q inside {3'd3, 3'd4}) begin                                                 // Check, Full
        for (int unsigned i = 0; i < UsedWords; i++) assert (u_fetch.descriptor_q[i] == newest.words[i]);
        assert (u_fetch.reserved_q == newest.reserved && u_fetch.fault_q == newest.failed);
        assert (16'(head - 16'd1) == newest.index);
      end
      if (u_fetch.ring_state_q == 3'd4) begin                                                             // Full
        assert (u_fetch.has_operands_q == has_operands(job_of(newest).op));
        assert (u_fetch.bad_format_q == bad_format(newest) && u_fetch.bad_length_q == bad_length(newest));
      end
      if (u_fetch.state_q != 3'd0) begin
        assert ({u_fetch.job_q.op, u_fetch.job_q.scheme, u_fetch.job_q.slot, u_fetch.job_q.bits,
                 u_fetch.job_q.exponent_bits} == {due.op, due.scheme, due.slot, due.bits, due.exponent_bits});
        assert (u_fetch.context_q == due_context && u_fetch.job_q.tag[15:4] == '0);
      end
      unique case (u_fetch.state_q)
        3'd1, 3'd2: assert (good && has_operands(due.op) && !packet_q && !dropped_q);                     // Command, Operands
        3'd3: assert (good && packet_q == has_operands(due.op) && !dropped_q);                            // Queue
        3'd4: begin                                                                                       // Reject
          assert (!packet_q && dropped_q == good);
          assert (u_fetch.reject_status_q == (dropped_q ? StatusBusFault : refusal(held_q[0])));
        end
        default: assert (!packet_q && !dropped_q);
      endcase

      // that they happen: a job with operands; operands that are dropped
      cover (job_valid && packet_q && job.op == OpPrivate);
      cover (reject.valid && dropped_q);
    end
  end

endmodule
