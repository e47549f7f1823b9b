// SPDX-License-Identifier: Apache-2.0
// One AXI4 bus for several masters: each has an ID of its own, by which answers find back. Addresses in turn.
//
//   cycle            0    1    2    3    4    5
//   masters_i[0] AR  A0   A0   A0   A0            waits, as master 1 was chosen
//   masters_i[1] AR  A1   A1
//   m_axi_o AR            A1        A0            its ID is the master's number; the choice has a cycle of its own
//   R, rid 1                        D    D        to master 1, whoever else waits
//
// Contract    Every master uses one ID and no wraps. An address that was shown stays until it is taken. The data of a
//             write follow its address, in the order of the addresses; Writes + 2 of these may be under way without data.
//             What is behind m_axi_o takes an address without its data, as skid_buffer and axi_slice do: the data are
//             shown once their address was taken. A slave of AXI4 may wait for both (A3.3.1).
// Parameters  Masters 2 to 4; Width of the data, bits; Writes a power of two.
module axi_mux
  import bus_pkg::*;
#(
  parameter int unsigned Masters = 3,
  parameter int unsigned Width   = 64,
  parameter int unsigned Writes  = 8
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  axi_request_t [Masters-1:0]      masters_i,
  input  logic [Masters-1:0][Width-1:0]   masters_wdata_i,
  input  logic [Masters-1:0][Width/8-1:0] masters_wstrb_i,
  output axi_response_t [Masters-1:0]     masters_o,  // the data of reads go to all

  output axi_request_t                    m_axi_o,
  output logic [1:0]                      m_axi_arid_o,
  output logic [1:0]                      m_axi_awid_o,
  output logic [Width-1:0]                m_axi_wdata_o,
  output logic [Width/8-1:0]              m_axi_wstrb_o,
  input  axi_response_t                   m_axi_i,
  input  logic [1:0]                      m_axi_rid_i,
  input  logic [1:0]                      m_axi_bid_i
);

  // Whose address is shown: from the last one on, the first that asks; it has the bus until its address is taken.
  // One bit for each master, where wide data or a ready hang on it.
  logic [Masters-1:0] ar_asks, aw_asks;
  logic [1:0]         ar_next, aw_next;
  logic               ar_any, aw_any, ar_shown_q, aw_shown_q, order_ready, owner_valid;
  logic [Masters-1:0] ar_chosen_q, aw_chosen_q, owner;  // owner: of the data of writes

  always_comb begin
    for (int unsigned m = 0; m < Masters; m++) begin
      ar_asks[m] = masters_i[m].arvalid;
      aw_asks[m] = masters_i[m].awvalid;
    end
  end

  axi_turn #(
    .Masters(Masters)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .asks_i  (ar_asks),
    .taken_i (!ar_shown_q),
    .any_o   (ar_any),
    .chosen_o(ar_next)
  );

  axi_turn #(
    .Masters(Masters)
  ) u_writes (
    .clk_i,
    .rst_ni,
    .asks_i  (aw_asks),
    .taken_i (!aw_shown_q),
    .any_o   (aw_any),
    .chosen_o(aw_next)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_shown_q   <= 1'b0;
      aw_shown_q   <= 1'b0;
      ar_chosen_q  <= '0;
      aw_chosen_q  <= '0;
      m_axi_arid_o <= '0;
      m_axi_awid_o <= '0;
    end else begin
      ar_shown_q <= ar_shown_q ? !m_axi_i.arready : ar_any;
      aw_shown_q <= aw_shown_q ? !(m_axi_i.awready && order_ready) : aw_any;
      if (!ar_shown_q) begin
        m_axi_arid_o <= ar_next;
        for (int unsigned m = 0; m < Masters; m++) ar_chosen_q[m] <= 32'(ar_next) == m;
      end
      if (!aw_shown_q) begin
        m_axi_awid_o <= aw_next;
        for (int unsigned m = 0; m < Masters; m++) aw_chosen_q[m] <= 32'(aw_next) == m;
      end
    end
  end

  registered_fifo #(
    .Width(Masters),
    .Depth(Writes)
  ) u_order (
    .clk_i,
    .rst_ni,
    .in_valid_i (m_axi_o.awvalid && m_axi_i.awready),
    .in_ready_o (order_ready),
    .in_data_i  (aw_chosen_q),
    .out_valid_o(owner_valid),
    .out_ready_i(m_axi_o.wvalid && m_axi_i.wready && m_axi_o.wlast),
    .out_data_o (owner)
  );

  always_comb begin
    m_axi_o       = '0;
    // Whoever asked has not changed its mind
    m_axi_o.arvalid = ar_shown_q;
    m_axi_o.awvalid = aw_shown_q && order_ready;
    m_axi_wdata_o = masters_wdata_i[0];
    m_axi_wstrb_o = masters_wstrb_i[0];
    for (int unsigned m = 0; m < Masters; m++) begin
      if (ar_chosen_q[m]) begin
        m_axi_o.araddr  = masters_i[m].araddr;
        m_axi_o.arlen   = masters_i[m].arlen;
      end
      if (32'(m_axi_rid_i) == m) m_axi_o.rready = masters_i[m].rready;
      if (aw_chosen_q[m]) begin
        m_axi_o.awaddr  = masters_i[m].awaddr;
        m_axi_o.awlen   = masters_i[m].awlen;
      end
      if (owner[m]) begin
        m_axi_o.wvalid = masters_i[m].wvalid && owner_valid;
        m_axi_o.wlast  = masters_i[m].wlast;
        m_axi_wdata_o  = masters_wdata_i[m];
        m_axi_wstrb_o  = masters_wstrb_i[m];
      end
      if (32'(m_axi_bid_i) == m) m_axi_o.bready = masters_i[m].bready;
    end
  end

  always_comb begin
    for (int unsigned m = 0; m < Masters; m++) begin
      masters_o[m] = '{
        arready: m_axi_i.arready && ar_shown_q && ar_chosen_q[m],
        rresp:   m_axi_i.rresp,
        rlast:   m_axi_i.rlast,
        rvalid:  m_axi_i.rvalid && 32'(m_axi_rid_i) == m,
        awready: m_axi_i.awready && aw_shown_q && order_ready && aw_chosen_q[m],
        wready:  m_axi_i.wready && owner_valid && owner[m],
        bresp:   m_axi_i.bresp,
        bvalid:  m_axi_i.bvalid && 32'(m_axi_bid_i) == m
      };
    end
  end

endmodule
