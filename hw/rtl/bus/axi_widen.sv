// SPDX-License-Identifier: Apache-2.0
// A master of 64 bits on a bus of 128: two of its beats are one of the bus.
//
//   cycle            0    1    2    3    4    5
//   bus R                 D         D'              a beat waits while its halves leave
//   master R              D.l  D.h  D'.l D'.h
//   master W         w.l  w.h                       the lower half is held
//   bus W                 w
//
// Contract    Bursts begin at a multiple of 16 bytes and have an even number of beats.
module axi_widen
  import bus_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_ni,

  input  axi_request_t  s_axi_i,
  input  logic [63:0]   s_axi_wdata_i,
  input  logic [7:0]    s_axi_wstrb_i,
  output axi_response_t s_axi_o,
  output logic [63:0]   s_axi_rdata_o,

  output axi_request_t  m_axi_o,
  output logic [127:0]  m_axi_wdata_o,
  output logic [15:0]   m_axi_wstrb_o,
  input  axi_response_t m_axi_i,
  input  logic [127:0]  m_axi_rdata_i
);

  logic        read_upper_q, write_upper_q;
  logic [63:0] lower_q;
  logic [7:0]  lower_strobe_q;

  always_comb begin
    m_axi_o         = s_axi_i;
    m_axi_o.arlen   = s_axi_i.arlen >> 1;
    m_axi_o.awlen   = s_axi_i.awlen >> 1;
    m_axi_o.rready  = s_axi_i.rready && read_upper_q;
    m_axi_o.wvalid  = s_axi_i.wvalid && write_upper_q;
    s_axi_o         = m_axi_i;
    s_axi_o.rlast   = m_axi_i.rlast && read_upper_q;
    s_axi_o.wready  = !write_upper_q || m_axi_i.wready;
  end
  assign s_axi_rdata_o = read_upper_q ? m_axi_rdata_i[127:64] : m_axi_rdata_i[63:0];
  assign m_axi_wdata_o = {s_axi_wdata_i, lower_q};
  assign m_axi_wstrb_o = {s_axi_wstrb_i, lower_strobe_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_upper_q   <= 1'b0;
      write_upper_q  <= 1'b0;
      lower_q        <= '0;
      lower_strobe_q <= '0;
    end else begin
      if (m_axi_i.rvalid && s_axi_i.rready) read_upper_q <= !read_upper_q;
      if (s_axi_i.wvalid && s_axi_o.wready) begin
        write_upper_q <= !write_upper_q;
        if (!write_upper_q) begin
          lower_q        <= s_axi_wdata_i;
          lower_strobe_q <= s_axi_wstrb_i;
        end
      end
    end
  end

endmodule
