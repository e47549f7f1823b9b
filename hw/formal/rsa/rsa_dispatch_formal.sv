// SPDX-License-Identifier: Apache-2.0
// rsa_dispatch: every operation of whoever has the way reaches mont, in order (in_order), each region at its address:
// contexts in halves of the memory, but for the shared regions 4 to 7; waiting_o while any is here.
module rsa_dispatch_formal
  import rsa_pkg::*;
  import exp_pkg::region_op_t;
  import exp_pkg::region_t;
(
  input logic       clk_i,
  input logic [2:0] stride_log2_i,
  input logic       exponent_i,
  input logic       exponent_valid_i,
  input region_op_t exponent_op_i,
  input logic       program_valid_i,
  input region_op_t program_op_i,
  input logic [1:0] op_ready_i,
  input logic [3:0] watched_i
);

  localparam int unsigned OperandWords = 4096;

  logic          rst_ni;
  logic          exponent_ready, program_ready, op_valid, waiting;
  mont_pkg::op_t op;
  logic [2:0]    stride_q;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;
  always_ff @(posedge clk_i) stride_q <= stride_log2_i;

  rsa_dispatch #(
    .OperandWords(OperandWords)
  ) u_dispatch (
    .clk_i,
    .rst_ni,
    .stride_i        (stride_t'(1) << stride_log2_i),
    .exponent_i,
    .exponent_valid_i,
    .exponent_ready_o(exponent_ready),
    .exponent_op_i,
    .program_valid_i,
    .program_ready_o (program_ready),
    .program_op_i,
    .op_valid_o      (op_valid),
    .op_ready_i,
    .op_o            (op),
    .waiting_o       (waiting)
  );

  function automatic logic [12:0] address(logic ctx, region_t region);
    logic [12:0] base;
    base = (ctx && !(region inside {[6'd4:6'd7]})) ? 13'(OperandWords / 2) : 13'd0;
    return base | 13'(32'(region) * (32 << stride_log2_i));
  endfunction

  function automatic mont_pkg::op_t placed(region_op_t op);
    return {op.ctx, address(op.ctx, op.a), address(op.ctx, op.b), address(op.ctx, op.d)};
  endfunction

  in_order #(
    .Width ($bits(mont_pkg::op_t)),
    .Places(2),
    .Eager (1'b0)
  ) u_in_order (
    .clk_i,
    .rst_ni,
    .in_valid_i (exponent_valid_i || program_valid_i),
    .in_ready_i (exponent_i ? exponent_ready : program_ready),
    .in_data_i  (placed(exponent_i ? exponent_op_i : program_op_i)),
    .out_valid_i(op_valid),
    .out_ready_i(op_ready_i[op.ctx]),
    .out_data_i (op),
    .watched_i
  );

  always_comb begin
    // sizes stand still while anything is here; one of the two has the way
    assume (stride_log2_i < 3'd5);
    if (rst_ni) assume (stride_log2_i == stride_q);
    assume (exponent_i ? !program_valid_i : !exponent_valid_i);
    if (rst_ni) begin
      assert (waiting == (u_in_order.held != '0));
      // what is inside, which makes the rest inductive
      assert (u_in_order.held == 4'(u_dispatch.valid_q) + 4'(op_valid));
      if (u_dispatch.valid_q && 4'(u_in_order.written_q - 4'd1) == u_in_order.watched_q) begin
        assert (placed(u_dispatch.op_q) == u_in_order.followed_q);
      end
      // that it happens: an operation of context 1 waits behind one of context 0, each to a region of its own
      cover (op_valid && !op.ctx && u_dispatch.valid_q && u_dispatch.op_q.ctx && op.d != '0 && stride_log2_i == 3'd4);
    end
  end

endmodule
