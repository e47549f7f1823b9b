// SPDX-License-Identifier: Apache-2.0
// registers: the AXI4-Lite slave keeps what it offers, and answers every access once, in time: a read or a write that is
// in is answered within Longest cycles, those in which the master keeps another answer waiting not counted, and with none
// in there is room for one.
module registers_formal (
  input logic        clk_i,
  input logic [11:0] awaddr_i,
  input logic        awvalid_i,
  input logic [31:0] wdata_i,
  input logic [3:0]  wstrb_i,
  input logic        wvalid_i,
  input logic        bready_i,
  input logic [11:0] araddr_i,
  input logic        arvalid_i,
  input logic        rready_i,
  input logic [63:0] counter_i
);

  localparam int unsigned Longest = 7;

  logic        rst_ni;
  logic        awready, wready, bvalid, arready, rvalid;
  logic [1:0]  bresp, rresp;
  logic [31:0] rdata;
  garner_regs_pkg::garner_regs__in_t  set;
  garner_regs_pkg::garner_regs__out_t is;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  registers u_registers (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr_i (awaddr_i),
    .s_axil_awvalid_i(awvalid_i),
    .s_axil_awready_o(awready),
    .s_axil_wdata_i  (wdata_i),
    .s_axil_wstrb_i  (wstrb_i),
    .s_axil_wvalid_i (wvalid_i),
    .s_axil_wready_o (wready),
    .s_axil_bresp_o  (bresp),
    .s_axil_bvalid_o (bvalid),
    .s_axil_bready_i (bready_i),
    .s_axil_araddr_i (araddr_i),
    .s_axil_arvalid_i(arvalid_i),
    .s_axil_arready_o(arready),
    .s_axil_rdata_o  (rdata),
    .s_axil_rresp_o  (rresp),
    .s_axil_rvalid_o (rvalid),
    .s_axil_rready_i (rready_i),
    .set_i           (set),
    .is_o            (is)
  );

  assign set.JOBS.value.next = counter_i;  // moves while it is read; what else the hardware writes is left open

  logic        aw_waits_q, w_waits_q, ar_waits_q, b_waits_q, r_waits_q;
  logic [11:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q, rdata_q;
  logic [3:0]  wstrb_q;
  logic [1:0]  bresp_q, rresp_q;
  logic [3:0]  addresses_q, datas_q, written_q, asked_q, read_q;
  logic        begun_q;                  // out of reset for a cycle: it has said that there is room
  logic        write_under_way, read_under_way, held_up;
  logic [3:0]  write_wait_q, read_wait_q;  // cycles without an answer
  logic [1:0]  slow_q;                     // {write, read}: one was answered after as many as there may be

  assign write_under_way = written_q != addresses_q && written_q != datas_q;
  assign read_under_way  = read_q != asked_q;
  assign held_up         = (bvalid && !bready_i) || (rvalid && !rready_i);

  logic        writing, reading;           // the access that the decoder has, or that is answered

  assign writing = u_registers.state_q != 2'd0 && u_registers.is_write_q;
  assign reading = u_registers.state_q != 2'd0 && !u_registers.is_write_q;

  always_ff @(posedge clk_i) begin
    begun_q    <= rst_ni;
    aw_waits_q <= rst_ni && awvalid_i && !awready;
    w_waits_q  <= rst_ni && wvalid_i && !wready;
    ar_waits_q <= rst_ni && arvalid_i && !arready;
    b_waits_q  <= rst_ni && bvalid && !bready_i;
    r_waits_q  <= rst_ni && rvalid && !rready_i;
    awaddr_q   <= awaddr_i;
    araddr_q   <= araddr_i;
    wdata_q    <= wdata_i;
    wstrb_q    <= wstrb_i;
    rdata_q    <= rdata;
    bresp_q    <= bresp;
    rresp_q    <= rresp;
    if (!rst_ni) begin
      addresses_q <= '0;
      datas_q     <= '0;
      written_q   <= '0;
      asked_q     <= '0;
      read_q      <= '0;
      slow_q      <= '0;
      write_wait_q <= '0;
      read_wait_q  <= '0;
    end else begin
      addresses_q <= addresses_q + 4'(awvalid_i && awready);
      datas_q     <= datas_q + 4'(wvalid_i && wready);
      written_q   <= written_q + 4'(bvalid && bready_i);
      asked_q     <= asked_q + 4'(arvalid_i && arready);
      read_q      <= read_q + 4'(rvalid && rready_i);
      slow_q      <= slow_q | {bvalid && write_wait_q == 4'(Longest), rvalid && read_wait_q == 4'(Longest)};
      if (bvalid || !write_under_way) write_wait_q <= '0;
      else if (!held_up) write_wait_q <= write_wait_q + 1'b1;
      if (rvalid || !read_under_way) read_wait_q <= '0;
      else if (!held_up) read_wait_q <= read_wait_q + 1'b1;
    end
  end

  always_comb begin
    if (rst_ni) begin
      if (aw_waits_q) assume (awvalid_i && awaddr_i == awaddr_q);
      if (w_waits_q) assume (wvalid_i && wdata_i == wdata_q && wstrb_i == wstrb_q);
      if (ar_waits_q) assume (arvalid_i && araddr_i == araddr_q);

      if (b_waits_q) assert (bvalid && bresp == bresp_q);
      if (r_waits_q) assert (rvalid && rdata == rdata_q && rresp == rresp_q);
      // how the counts here go with the module's own, which makes the rest inductive
      assert (u_registers.state_q != 2'd3);
      assert (4'(addresses_q - written_q) == 4'(u_registers.address_here) + 4'(writing));
      assert (4'(datas_q - written_q) == 4'(u_registers.data_here) + 4'(writing));
      assert (4'(asked_q - read_q) == 4'(u_registers.read_waits) + 4'(reading));
      if (bvalid) assert (read_wait_q <= 4'd2);   // a read then takes five cycles
      if (rvalid) assert (write_wait_q <= 4'd4);  // a write three
      if (begun_q) begin
        assert (awready == !u_registers.address_here && wready == !u_registers.data_here);
        assert (arready == !u_registers.read_waits);
      end else begin
        assert (u_registers.state_q == 2'd0 && !u_registers.address_here && !u_registers.data_here);
        assert (!u_registers.read_waits);
      end

      if (bvalid) assert (write_under_way);
      if (rvalid) assert (read_under_way);
      assert (4'(addresses_q - written_q) <= 4'd2 && 4'(datas_q - written_q) <= 4'd2 && 4'(asked_q - read_q) <= 4'd2);

      // in time
      assert (write_wait_q <= 4'(Longest) && read_wait_q <= 4'(Longest));
      if (begun_q && addresses_q == written_q) assert (awready);
      if (begun_q && datas_q == written_q) assert (wready);
      if (begun_q && asked_q == read_q) assert (arready);

      // two of each were answered, and both a read and a write were as slow as may be
      cover (written_q == 4'd2 && read_q == 4'd2 && slow_q == 2'b11);
      // an answer that is an error, kept while the master is not ready
      cover (b_waits_q && bresp != '0);
      cover (r_waits_q && rresp != '0);
    end
  end

endmodule
