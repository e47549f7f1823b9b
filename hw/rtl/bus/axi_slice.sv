// SPDX-License-Identifier: Apache-2.0
// A register in each channel of an AXI4 bus, a beat every cycle each way: no path goes through.
//
//   cycle           0    1    2    3    4
//   s_axi_i AR      A0   A1
//   m_axi_o AR           A0   A1            a skid_buffer for each channel
//   m_axi_i R                  D0   D1
//   s_axi_o R                       D0   D1
//
// Contract    Every beat arrives once, in the order of its channel. Data that have left are overwritten at once: with the next,
//             or with zeros.
// Parameters  Width of the data, bits.
module axi_slice
  import bus_pkg::*;
#(
  parameter int unsigned Width = 64
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  axi_request_t       s_axi_i,
  input  logic [Width-1:0]   s_axi_wdata_i,
  input  logic [Width/8-1:0] s_axi_wstrb_i,
  output axi_response_t      s_axi_o,
  output logic [Width-1:0]   s_axi_rdata_o,

  output axi_request_t       m_axi_o,
  output logic [Width-1:0]   m_axi_wdata_o,
  output logic [Width/8-1:0] m_axi_wstrb_o,
  input  axi_response_t      m_axi_i,
  input  logic [Width-1:0]   m_axi_rdata_i
);

  localparam int unsigned AddressWidth = $bits(s_axi_i.araddr) + $bits(s_axi_i.arlen);

  skid_buffer #(
    .Width(AddressWidth)
  ) u_ar (
    .clk_i,
    .rst_ni,
    .in_valid_i (s_axi_i.arvalid),
    .in_ready_o (s_axi_o.arready),
    .in_data_i  ({s_axi_i.araddr, s_axi_i.arlen}),
    .out_valid_o(m_axi_o.arvalid),
    .out_ready_i(m_axi_i.arready),
    .out_data_o ({m_axi_o.araddr, m_axi_o.arlen})
  );

  skid_buffer #(
    .Width(AddressWidth)
  ) u_aw (
    .clk_i,
    .rst_ni,
    .in_valid_i (s_axi_i.awvalid),
    .in_ready_o (s_axi_o.awready),
    .in_data_i  ({s_axi_i.awaddr, s_axi_i.awlen}),
    .out_valid_o(m_axi_o.awvalid),
    .out_ready_i(m_axi_i.awready),
    .out_data_o ({m_axi_o.awaddr, m_axi_o.awlen})
  );

  skid_buffer #(
    .Width(1 + Width + Width / 8)
  ) u_w (
    .clk_i,
    .rst_ni,
    .in_valid_i (s_axi_i.wvalid),
    .in_ready_o (s_axi_o.wready),
    .in_data_i  (s_axi_i.wvalid ? {s_axi_i.wlast, s_axi_wstrb_i, s_axi_wdata_i} : '0),
    .out_valid_o(m_axi_o.wvalid),
    .out_ready_i(m_axi_i.wready),
    .out_data_o ({m_axi_o.wlast, m_axi_wstrb_o, m_axi_wdata_o})
  );

  skid_buffer #(
    .Width(2)
  ) u_b (
    .clk_i,
    .rst_ni,
    .in_valid_i (m_axi_i.bvalid),
    .in_ready_o (m_axi_o.bready),
    .in_data_i  (m_axi_i.bresp),
    .out_valid_o(s_axi_o.bvalid),
    .out_ready_i(s_axi_i.bready),
    .out_data_o (s_axi_o.bresp)
  );

  skid_buffer #(
    .Width(3 + Width)
  ) u_r (
    .clk_i,
    .rst_ni,
    .in_valid_i (m_axi_i.rvalid),
    .in_ready_o (m_axi_o.rready),
    .in_data_i  (m_axi_i.rvalid ? {m_axi_i.rlast, m_axi_i.rresp, m_axi_rdata_i} : '0),
    .out_valid_o(s_axi_o.rvalid),
    .out_ready_i(s_axi_i.rready),
    .out_data_o ({s_axi_o.rlast, s_axi_o.rresp, s_axi_rdata_o})
  );

endmodule
