// Packet buffer: a FIFO in block RAM that lets a packet out only when all of it is in, and forgets one that went bad.
//
//   cycle      0    1    2    3    4    5
//   in         A0   A1   A2l                      l: last
//   out                       -    A0   A1        from the second cycle after the last word came, a word a cycle
//
// A packet whose last word comes with `in_drop_i` leaves no trace. `wipe_i` overwrites the memory: Depth + 1 cycles.
//
// Contract    A packet has at most Depth words, else it never fits and `in_ready_o` stays low: see `free_o`.
//             `wipe_i` (a pulse) comes only when nothing is inside, not even a part of a packet.
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

  logic [32:0]           memory_q[Depth];    // {last, data}
  logic [CountWidth-1:0] write_q, commit_q, read_q;
  logic [CountWidth-1:0] wipe_q;             // words still to overwrite, and one more cycle to clear the output
  logic                  valid_q;
  logic [32:0]           out_q;
  logic                  write, fetch;

  assign free_o     = CountWidth'(Depth) - (write_q - read_q);
  assign wiping_o   = wipe_q != '0;
  assign in_ready_o = free_o != '0 && !wiping_o;
  assign write      = in_valid_i && in_ready_o;
  assign fetch      = read_q != commit_q && (!valid_q || out_ready_i);

  assign out_valid_o = valid_q;
  assign {out_last_o, out_data_o} = out_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q  <= '0;
      commit_q <= '0;
      read_q   <= '0;
      wipe_q   <= '0;
      valid_q  <= 1'b0;
    end else begin
      if (write) begin
        write_q <= write_q + 1'b1;
        if (in_last_i && in_drop_i) write_q <= commit_q;
        else if (in_last_i) commit_q <= write_q + 1'b1;
      end
      if (fetch) begin
        read_q  <= read_q + 1'b1;
        valid_q <= 1'b1;
      end else if (out_ready_i) begin
        valid_q <= 1'b0;
      end
      if (wipe_i) wipe_q <= CountWidth'(Depth) + 1'b1;
      else if (wiping_o) wipe_q <= wipe_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (write || wiping_o) begin
      memory_q[wiping_o ? wipe_q[AddressWidth-1:0] : write_q[AddressWidth-1:0]] <=
        wiping_o ? '0 : {in_last_i, in_data_i};
    end
    if (fetch || wiping_o) out_q <= memory_q[read_q[AddressWidth-1:0]];
  end

endmodule
