// SPDX-License-Identifier: Apache-2.0
// One multiplication by a small `mont` from reset to the result, for all operands and all moduli of its size:
// d * R = a * b mod n and d < 2*N~, where R = 2^(W*Rows*passes). In one context alone, and one operation: both at once, and
// one behind another, are tried by hw/tb/mont/test_mont.py.
//
//   cycle    1 .. 3*words        then              when busy_o has fallen      Words + HostReadLatency later
//            a, b, Nb written    one operation     d is read                   it is right
module mont_formal
  import mont_pkg::*;
#(
  parameter int unsigned W    = 3,
  parameter int unsigned Rows = 2,
  parameter int unsigned HopCycles = 5,
  parameter bit          Context = 1'b0,
  parameter int unsigned Bits = 3   // of n
) (
  input logic clk_i,
  input logic [Bits-1:0] n,  // arbitrary, the same in all cycles
  input logic [W*((Bits+2*W+1)/W)-1:0] a,
  input logic [W*((Bits+2*W+1)/W)-1:0] b,
  input logic [W-1:0] q      // -n^-1 mod 2^W: the one that makes n*q = -1
);

  localparam int unsigned Words  = (Bits + W + 2 + W - 1) / W;
  localparam int unsigned Passes = (Words + Rows - 1) / Rows;
  localparam int unsigned Depth  = 4 * (1 << $clog2(Words));
  localparam int unsigned Width  = W * Words;
  localparam int unsigned Exponent = W * Rows * Passes;
  localparam int unsigned Wide   = Width + Exponent + 1;
  localparam int unsigned Last   = 64 + Passes * Rows * HopCycles;  // by this cycle all is done
  typedef logic [Wide-1:0] wide_t;

  wide_t scaled, nb;
  assign scaled = wide_t'(n) * wide_t'(q);
  assign nb = (scaled + wide_t'(1)) >> W;

  logic [7:0] cycle_q = '0;
  logic rst_n = 1'b0;
  logic [2:0] state_q = '0;  // 0 reset, 1 writing, 2 operation, 3 running, 4 reading, 5 done
  logic [7:0] count_q = '0;
  logic [Width-1:0] result_q;
  logic [1:0] op_ready;
  logic busy, write;
  host_address_t write_address, read_address;
  logic [W-1:0] write_data, read_data;
  localparam int unsigned Stride = 1 << $clog2(Words);

  always_comb begin
    write = state_q == 3'd1;
    write_address = '0;
    write_data = '0;
    if (count_q < 8'(Words)) begin
      write_address.word = AddressWidth'(count_q);
      write_data = a[W*count_q +: W];
    end else if (count_q < 8'(2 * Words)) begin
      write_address.word = AddressWidth'(Stride) + AddressWidth'(count_q) - AddressWidth'(Words);
      write_data = b[W*(count_q - 8'(Words)) +: W];
    end else begin
      write_address.modulus = 1'b1;
      write_address.word = AddressWidth'(count_q) - AddressWidth'(2 * Words);
      write_address.word[IndexWidth] = Context;
      write_data = nb[W*(count_q - 8'(2 * Words)) +: W];
    end
    read_address = '{modulus: 1'b0, word: AddressWidth'(2 * Stride) + AddressWidth'(count_q)};
  end

  mont #(.W(W), .Rows(Rows), .HopCycles(HopCycles), .OperandWords(Depth), .ModulusWords(Stride)) u_mont (
    .clk_i, .rst_ni(rst_n),
    .config_i('{words: IndexWidth'(Words), passes: IndexWidth'(Passes), digits: IndexWidth'(Words)}),
    .op_valid_i(state_q == 3'd2), .op_ready_o(op_ready),
    .op_i('{ctx: Context, a: '0, b: AddressWidth'(Stride), d: AddressWidth'(2 * Stride)}),
    .busy_o(busy), .host_read_i(read_address), .host_read_data_o(read_data),
    .host_write_enable_i(write), .host_write_i(write_address), .host_write_data_i(write_data)
  );

  always_ff @(posedge clk_i) begin
    if (cycle_q != '1) cycle_q <= cycle_q + 8'd1;
    rst_n <= 1'b1;
    count_q <= count_q + 8'd1;
    unique case (state_q)
      3'd0: begin
        count_q <= '0;
        if (cycle_q == 8'd6) state_q <= 3'd1;
      end
      3'd1: if (count_q == 8'(3 * Words - 1)) state_q <= 3'd2;
      3'd2: if (op_ready[Context]) state_q <= 3'd3;
      3'd3: begin
        count_q <= '0;
        if (!busy) state_q <= 3'd4;
      end
      3'd4: begin
        if (count_q >= 8'(HostReadLatency)) result_q <= {read_data, result_q[Width-1:W]};
        if (count_q == 8'(HostReadLatency + Words - 1)) state_q <= 3'd5;
      end
      default: ;
    endcase
  end

  logic [Bits+2*Width+W-1:0] given_q;
  always_ff @(posedge clk_i) given_q <= {n, a, b, q};

  // What the contract asks of the caller, then what it promises
  always_comb begin
    if (cycle_q != '0) assume ({n, a, b, q} == given_q);
    assume (n[0] && n[Bits-1]);
    assume (W'(scaled) == '1);
    assume (wide_t'(a) < 2 * scaled && wide_t'(b) < 2 * scaled);
    if (state_q == 3'd5) begin
      assert (wide_t'(result_q) < 2 * scaled);
      assert (((wide_t'(result_q) << Exponent) - wide_t'(a) * wide_t'(b)) % wide_t'(n) == '0);
    end
    // Whatever the operands, it is done at the same time: later cycles show nothing new.
    if (cycle_q == 8'(Last)) assert (state_q == 3'd5);
    cover (state_q == 3'd5);
  end

endmodule
