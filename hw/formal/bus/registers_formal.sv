// registers: the AXI4-Lite slave keeps what it offers, and answers every access once.
module registers_formal #(
  parameter bit Accounting = 1'b1  // the assertions that count accesses
) (
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

  always_ff @(posedge clk_i) begin
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
    end else begin
      addresses_q <= addresses_q + 4'(awvalid_i && awready);
      datas_q     <= datas_q + 4'(wvalid_i && wready);
      written_q   <= written_q + 4'(bvalid && bready_i);
      asked_q     <= asked_q + 4'(arvalid_i && arready);
      read_q      <= read_q + 4'(rvalid && rready_i);
    end
  end

  always_comb begin
    if (rst_ni) begin
      if (aw_waits_q) assume (awvalid_i && awaddr_i == awaddr_q);
      if (w_waits_q) assume (wvalid_i && wdata_i == wdata_q && wstrb_i == wstrb_q);
      if (ar_waits_q) assume (arvalid_i && araddr_i == araddr_q);

      if (b_waits_q) assert (bvalid && bresp == bresp_q);
      if (r_waits_q) assert (rvalid && rdata == rdata_q && rresp == rresp_q);
      if (Accounting && bvalid) assert (written_q != addresses_q && written_q != datas_q);
      if (Accounting && rvalid) assert (read_q != asked_q);
      if (Accounting) assert (4'(addresses_q - written_q) <= 4'd3 && 4'(asked_q - read_q) <= 4'd3);
    end
  end

endmodule
