// SPDX-License-Identifier: Apache-2.0
// axi_mux, seen by one of its masters, any of the three: an address that is shown, and its length, are those of the master
// whose ID they have, and stay until they are taken; data of writes are taken from it only behind an address of its own, and
// never more bursts of them than addresses; at most Writes + 2 addresses wait for their data; answers go to the master whose
// ID they have; of the others at most two addresses are taken while it waits.
module axi_mux_formal
  import bus_pkg::*;
(
  input logic               clk_i,
  input axi_request_t [2:0] masters_i,
  input axi_response_t      m_axi_i,
  input logic [1:0]         m_axi_rid_i,
  input logic [1:0]         m_axi_bid_i,
  input logic [1:0]         any_master_i
);

  logic                rst_ni;
  axi_response_t [2:0] answers;
  axi_request_t        bus;
  logic [1:0]          arid, awid, m_q;
  logic [7:0]          wdata;
  logic                wstrb, chosen_q;

  initial rst_ni = 1'b0;
  initial chosen_q = 1'b0;
  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
    // The master, chosen once.
    chosen_q <= 1'b1;
    if (!chosen_q) m_q <= any_master_i;
  end

  axi_mux #(
    .Masters(3),
    .Width  (8),
    .Writes (2)
  ) u_mux (
    .clk_i,
    .rst_ni,
    .masters_i,
    .masters_wdata_i({8'd2, 8'd1, 8'd0}),
    .masters_wstrb_i(3'b111),
    .masters_o      (answers),
    .m_axi_o        (bus),
    .m_axi_arid_o   (arid),
    .m_axi_awid_o   (awid),
    .m_axi_wdata_o  (wdata),
    .m_axi_wstrb_o  (wstrb),
    .m_axi_i,
    .m_axi_rid_i,
    .m_axi_bid_i
  );

  logic ar_taken, aw_taken, w_taken, w_ended;
  assign ar_taken = bus.arvalid && m_axi_i.arready;
  assign aw_taken = bus.awvalid && m_axi_i.awready;
  assign w_taken  = masters_i[m_q].wvalid && answers[m_q].wready;
  assign w_ended  = w_taken && masters_i[m_q].wlast;

  // Of the cycle before: who waits with an address, and what the bus was shown
  logic [2:0]       ar_waits_q, aw_waits_q;
  logic [2:0][71:0] ar_waiting_q, aw_waiting_q;  // {address, length}
  logic             ar_shown_q, aw_shown_q;
  logic [73:0]      ar_q, aw_q;                  // {id, address, length}
  // Addresses of this master whose data have not ended, and addresses of others taken while its own wait
  logic [2:0] owed_q;
  logic [1:0] ar_overtaken_q, aw_overtaken_q;

  always_ff @(posedge clk_i) begin
    for (int m = 0; m < 3; m++) begin
      ar_waits_q[m]   <= rst_ni && masters_i[m].arvalid && !answers[m].arready;
      aw_waits_q[m]   <= rst_ni && masters_i[m].awvalid && !answers[m].awready;
      ar_waiting_q[m] <= {masters_i[m].araddr, masters_i[m].arlen};
      aw_waiting_q[m] <= {masters_i[m].awaddr, masters_i[m].awlen};
    end
    ar_shown_q <= rst_ni && bus.arvalid && !m_axi_i.arready;
    aw_shown_q <= rst_ni && bus.awvalid && !m_axi_i.awready;
    ar_q       <= {arid, bus.araddr, bus.arlen};
    aw_q       <= {awid, bus.awaddr, bus.awlen};
    if (!rst_ni || !chosen_q) begin
      owed_q         <= '0;
      ar_overtaken_q <= '0;
      aw_overtaken_q <= '0;
    end else begin
      owed_q <= owed_q + 3'(aw_taken && awid == m_q) - 3'(w_ended);
      if (ar_taken) ar_overtaken_q <= masters_i[m_q].arvalid && arid != m_q ? ar_overtaken_q + 2'd1 : '0;
      if (aw_taken) aw_overtaken_q <= masters_i[m_q].awvalid && awid != m_q ? aw_overtaken_q + 2'd1 : '0;
    end
  end

  // What the queue of the masters whose data come next holds: this one as often as it owes data
  logic [2:0] entry[4], held;
  always_comb begin
    entry[0] = u_mux.u_order.u_head.out_valid_o ? u_mux.u_order.u_head.out_data_o : '0;
    entry[1] = !u_mux.u_order.u_head.ready_q ? u_mux.u_order.u_head.spare_q : '0;
    entry[2] = u_mux.u_order.u_fifo.count_q > 2'd0 ? u_mux.u_order.u_fifo.words_q[u_mux.u_order.u_fifo.read_q] : '0;
    entry[3] = u_mux.u_order.u_fifo.count_q > 2'd1 ? u_mux.u_order.u_fifo.words_q[~u_mux.u_order.u_fifo.read_q] : '0;
    held     = '0;
    for (int i = 0; i < 4; i++) held += 3'(entry[i][m_q]);
  end

  always_comb begin
    assume (any_master_i < 2'd3 && m_axi_rid_i < 2'd3 && m_axi_bid_i < 2'd3);
    if (chosen_q) assume (m_q < 2'd3);
    for (int m = 0; m < 3; m++) begin  // masters keep to the standard
      if (ar_waits_q[m]) assume (masters_i[m].arvalid && {masters_i[m].araddr, masters_i[m].arlen} == ar_waiting_q[m]);
      if (aw_waits_q[m]) assume (masters_i[m].awvalid && {masters_i[m].awaddr, masters_i[m].awlen} == aw_waiting_q[m]);
    end
    if (rst_ni && chosen_q) begin
      if (ar_shown_q) assert (bus.arvalid && {arid, bus.araddr, bus.arlen} == ar_q);
      if (aw_shown_q) assert (bus.awvalid && {awid, bus.awaddr, bus.awlen} == aw_q);
      if (bus.arvalid) assert (masters_i[arid].arvalid && {bus.araddr, bus.arlen} == {masters_i[arid].araddr, masters_i[arid].arlen});
      if (bus.awvalid) assert (masters_i[awid].awvalid && {bus.awaddr, bus.awlen} == {masters_i[awid].awaddr, masters_i[awid].awlen});
      if (masters_i[m_q].arvalid && answers[m_q].arready) assert (ar_taken && arid == m_q);
      if (masters_i[m_q].awvalid && answers[m_q].awready) assert (aw_taken && awid == m_q);
      if (w_taken) assert (owed_q != '0 && bus.wvalid && m_axi_i.wready && wdata == 8'(m_q) && wstrb);
      assert (owed_q <= 3'd4);
      // the invariants that end the proof
      assert (owed_q == held);
      for (int i = 0; i < 4; i++) assert ((entry[i] & (entry[i] - 3'd1)) == '0);
      assert (u_mux.ar_chosen_q == 3'(1) << arid || !u_mux.ar_shown_q);
      assert (u_mux.aw_chosen_q == 3'(1) << awid || !u_mux.aw_shown_q);
      assert (u_mux.u_order.u_head.ready_q || u_mux.u_order.u_head.out_valid_o);
      assert (u_mux.u_order.u_fifo.count_q <= 2'd2);
      assert (u_mux.u_order.u_fifo.count_q[0] == (u_mux.u_order.u_fifo.write_q ^ u_mux.u_order.u_fifo.read_q));
      assert (u_mux.u_order.u_fifo.out_valid_o == (u_mux.u_order.u_fifo.count_q != '0));
      assert (!u_mux.u_order.u_fifo.in_ready_o || !u_mux.u_order.u_fifo.count_q[1]);
      assert (answers[m_q].rvalid == (m_axi_i.rvalid && m_axi_rid_i == m_q));
      assert (answers[m_q].bvalid == (m_axi_i.bvalid && m_axi_bid_i == m_q));
      assert (ar_overtaken_q <= 2'd2 && aw_overtaken_q <= 2'd2);
      cover (owed_q == 3'd2 && w_ended);
      cover (ar_overtaken_q == 2'd2);
      cover (aw_overtaken_q == 2'd2 && w_taken);
    end
  end

endmodule
