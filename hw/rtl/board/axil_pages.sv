// SPDX-License-Identifier: Apache-2.0
// Register pages: an AXI4-Lite slave with a page of 4 KiB for each of several slaves behind it.
//
//   cycle            0    1    2   ..   k    k+1
//   AR               A                            page 1
//   pages_o[1] AR         A
//   pages_i[1] R                        D
//   R                                   D         then the next access
//   AW, W            A, D A, D                    taken in the second cycle, when both are known to be there
//   pages_o[1] AW              A, D
//
// Contract    One read and one write at a time, neither waits for the other. A page that is not there answers SLVERR. No
//             output depends on an input of the bus within a cycle.
// Parameters  Pages 2 to 4.
module axil_pages
  import bus_pkg::*;
#(
  parameter int unsigned Pages = 3
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  axil_request_t              s_axil_i,  // its addresses are those within a page
  input  logic [1:0]                 s_awpage_i,
  input  logic [1:0]                 s_arpage_i,
  output axil_response_t             s_axil_o,

  output axil_request_t [Pages-1:0]  pages_o,
  input  axil_response_t [Pages-1:0] pages_i
);

  localparam logic [1:0] AxilSlaveError = 2'b10;

  typedef enum logic [1:0] {
    Idle,
    Take,    // of a write alone
    Ask,     // until the page has taken it
    Answer
  } state_e;

  state_e      write_q, read_q;
  logic [1:0]  write_page_q, read_page_q;
  logic [11:0] write_address_q, read_address_q;
  logic [31:0] write_data_q;
  logic [3:0]  write_strobe_q;
  logic        address_left_q, data_left_q;  // for the page to take
  logic        write_here, read_here;        // the page is there
  // Of the page that is spoken to
  logic        page_awready, page_wready, page_bvalid, page_arready, page_rvalid;
  logic [1:0]  page_bresp, page_rresp;
  logic [31:0] page_rdata;

  assign write_here = 32'(write_page_q) < Pages;
  assign read_here  = 32'(read_page_q) < Pages;

  always_comb begin
    {page_awready, page_wready, page_bvalid, page_bresp} = '0;
    {page_arready, page_rvalid, page_rresp, page_rdata} = '0;
    for (int unsigned p = 0; p < Pages; p++) begin
      if (32'(write_page_q) == p) begin
        {page_awready, page_wready, page_bvalid, page_bresp} =
            {pages_i[p].awready, pages_i[p].wready, pages_i[p].bvalid, pages_i[p].bresp};
      end
      if (32'(read_page_q) == p) begin
        {page_arready, page_rvalid, page_rresp, page_rdata} =
            {pages_i[p].arready, pages_i[p].rvalid, pages_i[p].rresp, pages_i[p].rdata};
      end
      pages_o[p] = '{
        awaddr:  write_address_q,
        awvalid: write_q == Ask && address_left_q && 32'(write_page_q) == p,
        wdata:   write_data_q,
        wstrb:   write_strobe_q,
        wvalid:  write_q == Ask && data_left_q && 32'(write_page_q) == p,
        bready:  write_q == Answer && s_axil_i.bready && 32'(write_page_q) == p,
        araddr:  read_address_q,
        arvalid: read_q == Ask && 32'(read_page_q) == p,
        rready:  read_q == Answer && s_axil_i.rready && 32'(read_page_q) == p
      };
    end
    s_axil_o = '{
      awready: write_q == Take,
      wready:  write_q == Take,
      bresp:   write_here ? page_bresp : AxilSlaveError,
      bvalid:  write_q == Answer && (page_bvalid || !write_here),
      arready: read_q == Idle,
      rdata:   page_rdata,
      rresp:   read_here ? page_rresp : AxilSlaveError,
      rvalid:  read_q == Answer && (page_rvalid || !read_here)
    };
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q         <= Idle;
      read_q          <= Idle;
      write_page_q    <= '0;
      read_page_q     <= '0;
      write_address_q <= '0;
      read_address_q  <= '0;
      write_data_q    <= '0;
      write_strobe_q  <= '0;
      address_left_q  <= 1'b0;
      data_left_q     <= 1'b0;
    end else begin
      unique case (write_q)
        Idle: if (s_axil_i.awvalid && s_axil_i.wvalid) write_q <= Take;
        Take: begin
          write_q         <= Ask;
          write_page_q    <= s_awpage_i;
          write_address_q <= s_axil_i.awaddr;
          write_data_q    <= s_axil_i.wdata;
          write_strobe_q  <= s_axil_i.wstrb;
          address_left_q  <= 1'b1;
          data_left_q     <= 1'b1;
        end
        Ask: begin
          if (page_awready) address_left_q <= 1'b0;
          if (page_wready) data_left_q <= 1'b0;
          if ((!address_left_q && !data_left_q) || !write_here) write_q <= Answer;
        end
        default: if (s_axil_o.bvalid && s_axil_i.bready) write_q <= Idle;
      endcase
      unique case (read_q)
        Idle: if (s_axil_i.arvalid) begin
          read_q         <= Ask;
          read_page_q    <= s_arpage_i;
          read_address_q <= s_axil_i.araddr;
        end
        Ask: if (page_arready || !read_here) read_q <= Answer;
        default: if (s_axil_o.rvalid && s_axil_i.rready) read_q <= Idle;
      endcase
    end
  end

endmodule
