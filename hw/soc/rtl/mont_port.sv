// SPDX-License-Identifier: Apache-2.0
// The peripheral `mont` of hw/interface/soc.toml: Montgomery products of operands that stay in slots beside the array.
//
//   cycle             0    1    2    3    4    5    6    7
//   access_i.valid    1                                         multiply: while the queue is full the answer waits
//   answer_o.ready              1
//   access_i.valid    1                                         data, read; written, it is as multiply
//   answer_o.ready                                  1           five cycles after the address moved, and all is done
//
//   firmware: sizes; address, data ... (modulus, operands); multiply ...; address, data ... (the result)
//
// Products are done in order, each may use the result of the one before; the queue keeps the array busy while the
// processor finds out what comes next. A slot is SlotWords words of the operand memory of `mont`, context 0.
//
// Contract    As `mont`: operands below 2*N~, sizes and modulus written while nothing is under way. Slots that are not
//             there are those with the top bits of their number dropped. An access is answered when its product or word
//             has been taken or given: never, if the array hangs, and then the bus gives up (soc_bus) and cancel_i
//             drops the access. The RESET register forgets products; slots keep what they have.
//             Faults, for tests alone: hang_i: no product is begun; corrupt_i: the lowest bit of each word read is
//             wrong; silent_i: no access is answered.
module mont_port
  import soc_pkg::*;
  import mont_pkg::*;
#(
  parameter int unsigned W         = 18,
  parameter int unsigned Rows      = 8,    // two multipliers each
  parameter int unsigned Slots     = 64,   // a power of two
  parameter int unsigned SlotWords = 128,  // a power of two: of 18 bits, more than 2048 bits have
  parameter int unsigned Queue     = 16
) (
  input  logic    clk_i,
  input  logic    rst_ni,
  input  access_t access_i,
  output answer_t answer_o,
  input  logic    cancel_i,
  input  logic    hang_i,
  input  logic    corrupt_i,
  input  logic    silent_i,
  output logic    working_o  // products are under way
);

  localparam int unsigned SlotWidth = $clog2(Slots);
  localparam int unsigned SlotShift = $clog2(SlotWords);
  localparam int unsigned Settled = HostReadLatency + 1;
  if (Slots != 1 << SlotWidth || SlotWidth > 6 || SlotWords != 1 << SlotShift || SlotWords > 128) begin : gen_bad_slots
    $fatal(1, "mont_port: Slots must be a power of two, at most 64, and SlotWords one, at most 128");
  end
  typedef logic [SlotWidth-1:0] slot_number_t;

  // ---- The access under way
  logic pending_q, write_q;
  logic [13:0] word_q;
  /* verilator lint_off UNUSEDSIGNAL */ // no register has all bits
  logic [31:0] data_q;
  mont_sizes_t sizes;
  mont_address_t address;
  mont_multiply_t product;
  mont_reset_t reset;
  /* verilator lint_on UNUSEDSIGNAL */
  assign sizes = data_q;
  assign address = data_q;
  assign product = data_q;
  assign reset = data_q;
  logic is_data, is_multiply, moved, idle, settled, queue_ready;
  assign is_data = word_q == MontData;
  assign is_multiply = write_q && word_q == MontMultiply;
  assign moved = pending_q && !silent_i
                 && (is_data ? idle && (write_q || settled) : is_multiply ? queue_ready : 1'b1);

  // ---- Products waiting
  logic reset_q, array_rst_nq, product_valid, busy;
  logic [1:0] op_ready;
  slot_number_t d, a, b;
  fifo #(.Width(3 * SlotWidth), .Depth(Queue)) u_queue (
    .clk_i, .rst_ni(array_rst_nq), .in_valid_i(pending_q && !silent_i && is_multiply), .in_ready_o(queue_ready),
    .in_data_i({slot_number_t'(product.b), slot_number_t'(product.a), slot_number_t'(product.destination)}),
    .out_valid_o(product_valid), .out_ready_i(op_ready[0] && !hang_i), .out_data_o({b, a, d})
  );

  // ---- The array
  logic [IndexWidth-1:0] words_q, passes_q;
  host_address_t address_q;
  logic [W-1:0] read_data;
  logic [2:0] settled_q;  // cycles since the address moved or the array became idle
  assign idle = !busy && !product_valid;
  assign settled = settled_q == 3'(Settled);
  assign working_o = !idle;
  logic array_clk;
  clock_gate u_clock (.clk_i, .rst_ni, .run_i(!array_rst_nq || !idle || pending_q), .clk_o(array_clk));
  mont #(.W(W), .Rows(Rows), .OperandWords(Slots * SlotWords), .ModulusWords(SlotWords)) u_mont (
    .clk_i(array_clk), .rst_ni(array_rst_nq), .config_i('{words: words_q, passes: passes_q, digits: words_q}),
    .op_valid_i(product_valid && !hang_i), .op_ready_o(op_ready),
    .op_i('{ctx: 1'b0, a: AddressWidth'({a, SlotShift'(0)}), b: AddressWidth'({b, SlotShift'(0)}),
            d: AddressWidth'({d, SlotShift'(0)})}),
    .busy_o(busy), .host_read_i(address_q), .host_read_data_o(read_data),
    .host_write_enable_i(moved && write_q && is_data), .host_write_i(address_q), .host_write_data_i(data_q[W-1:0])
  );

  logic answer_ready_q, unused;
  logic [31:0] answer_data_q;
  mont_built_t built;
  mont_status_t status;
  assign built = '{slot_words: 8'(SlotWords), slots: 8'(Slots), rows: 8'(Rows), word_bits: 8'(W)};
  assign status = '{full: !queue_ready, busy: !idle, default: '0};
  assign answer_o = '{ready: answer_ready_q, data: answer_data_q};
  assign unused = op_ready[1];

  always_ff @(posedge clk_i) begin
    if (access_i.valid) begin
      write_q <= access_i.write;
      word_q  <= access_i.word;
      data_q  <= access_i.data;
    end
    if (moved && write_q && word_q == MontSizes) begin
      words_q  <= sizes.words;
      passes_q <= sizes.passes;
    end
    if (moved && write_q && word_q == MontAddress) begin
      address_q <= '{modulus: address.modulus, word: address.place};
    end else if (moved && is_data) begin
      address_q.word <= address_q.word + AddressWidth'(1);
    end
    answer_data_q <= is_data ? 32'(read_data) ^ 32'(corrupt_i)
                     : word_q == MontBuilt ? built : status;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q      <= 1'b0;
      answer_ready_q <= 1'b0;
      settled_q      <= '0;
      reset_q        <= 1'b0;
      array_rst_nq   <= 1'b0;
    end else begin
      if (access_i.valid) pending_q <= 1'b1;
      else if (moved || cancel_i) pending_q <= 1'b0;
      answer_ready_q <= moved;
      if (!idle || moved) settled_q <= '0;
      else if (!settled) settled_q <= settled_q + 3'd1;
      if (moved && write_q && word_q == MontReset) reset_q <= reset.hold;
      array_rst_nq <= !reset_q;
    end
  end

endmodule
