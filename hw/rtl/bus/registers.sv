// SPDX-License-Identifier: Apache-2.0
// The registers (garner_regs, generated from SystemRDL) as an AXI4-Lite slave: one access at a time, its address, data and
// answer in flip-flops, so that the decoder between them has a cycle of its own.
//
//   cycle      0    1    2    3    4    5    6    7
//   AR         A
//   decoder              A
//   R                                   D              then the next access; reads and writes in turn when both wait
//
// Contract    AXI4-Lite; addresses of 12 bits, of which the two lowest are ignored; an unmapped one answers SLVERR.
module registers (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  input  logic [11:0]                        s_axil_awaddr_i,
  input  logic                               s_axil_awvalid_i,
  output logic                               s_axil_awready_o,
  input  logic [31:0]                        s_axil_wdata_i,
  input  logic [3:0]                         s_axil_wstrb_i,
  input  logic                               s_axil_wvalid_i,
  output logic                               s_axil_wready_o,
  output logic [1:0]                         s_axil_bresp_o,
  output logic                               s_axil_bvalid_o,
  input  logic                               s_axil_bready_i,
  input  logic [11:0]                        s_axil_araddr_i,
  input  logic                               s_axil_arvalid_i,
  output logic                               s_axil_arready_o,
  output logic [31:0]                        s_axil_rdata_o,
  output logic [1:0]                         s_axil_rresp_o,
  output logic                               s_axil_rvalid_o,
  input  logic                               s_axil_rready_i,

  input  garner_regs_pkg::garner_regs__in_t  set_i,
  output garner_regs_pkg::garner_regs__out_t is_o
);

  typedef enum logic [1:0] {
    Idle,
    Access,
    Respond
  } state_e;

  state_e      state_q;
  logic        request_q, is_write_q;
  logic [5:0]  address_q;   // of the register: see `place_of`
  logic [31:0] data_q;      // to write, then what was read
  logic [3:0]  strobe_q;
  logic        error_q;
  logic        write_waits, read_waits, write_here, read_here, address_here, data_here;
  logic [11:0] write_address, read_address;
  logic [31:0] write_data, read_data, bit_enable;
  logic [3:0]  write_strobe;
  logic        read_ack, read_error, write_ack, write_error, stall_read, stall_write;

  stage #(
    .Width(12)
  ) u_write_address (
    .clk_i,
    .rst_ni,
    .in_valid_i (s_axil_awvalid_i),
    .in_ready_o (s_axil_awready_o),
    .in_data_i  (s_axil_awaddr_i),
    .out_valid_o(address_here),
    .out_ready_i(write_here),
    .out_data_o (write_address)
  );

  stage #(
    .Width(36)
  ) u_write_data (
    .clk_i,
    .rst_ni,
    .in_valid_i (s_axil_wvalid_i),
    .in_ready_o (s_axil_wready_o),
    .in_data_i  ({s_axil_wstrb_i, s_axil_wdata_i}),
    .out_valid_o(data_here),
    .out_ready_i(write_here),
    .out_data_o ({write_strobe, write_data})
  );

  stage #(
    .Width(12)
  ) u_read_address (
    .clk_i,
    .rst_ni,
    .in_valid_i (s_axil_arvalid_i),
    .in_ready_o (s_axil_arready_o),
    .in_data_i  (s_axil_araddr_i),
    .out_valid_o(read_waits),
    .out_ready_i(read_here),
    .out_data_o (read_address)
  );

  assign write_waits = address_here && data_here;
  assign write_here  = state_q == Idle && write_waits && !(read_waits && is_write_q);
  assign read_here   = state_q == Idle && read_waits && !write_here;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Idle;
      request_q  <= 1'b0;
      is_write_q <= 1'b0;
      error_q    <= 1'b0;
    end else begin
      unique case (state_q)
        Idle: if (write_here || read_here) begin
          state_q    <= Access;
          request_q  <= 1'b1;
          is_write_q <= write_here;
        end
        Access: begin
          if (is_write_q ? !stall_write : !stall_read) request_q <= 1'b0;
          error_q <= is_write_q ? write_error : read_error;
          if (read_ack || write_ack) state_q <= Respond;
        end
        default: if (is_write_q ? s_axil_bready_i : s_axil_rready_i) state_q <= Idle;
      endcase
    end
  end

  // Group and word, as garner_regs.rdl lays them out: eight groups of eight words. What lies beyond is read and written in
  // the last place, where nothing is mapped.
  /* verilator lint_off UNUSEDSIGNAL */ // the two lowest bits
  function automatic logic [5:0] place_of(logic [11:0] address);
    return {address[9:7], address[4:2]} | {6{|{address[11:10], address[6:5]}}};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      address_q <= place_of(write_here ? write_address : read_address);
      data_q    <= write_data;
      strobe_q  <= write_strobe;
    end else if (state_q == Access && read_ack) begin
      data_q <= read_data;
    end
  end

  assign s_axil_bvalid_o = state_q == Respond && is_write_q;
  assign s_axil_rvalid_o = state_q == Respond && !is_write_q;
  assign s_axil_bresp_o  = {error_q, 1'b0};  // SLVERR
  assign s_axil_rresp_o  = {error_q, 1'b0};
  assign s_axil_rdata_o  = data_q;

  always_comb begin
    for (int unsigned i = 0; i < 4; i++) bit_enable[8*i +: 8] = {8{strobe_q[i]}};
  end

  garner_regs u_block (
    .clk                 (clk_i),
    .arst_n              (rst_ni),
    .s_cpuif_req         (request_q),
    .s_cpuif_req_is_wr   (is_write_q),
    .s_cpuif_addr        ({2'b00, address_q[5:3], 2'b00, address_q[2:0], 2'b00}),
    .s_cpuif_wr_data     (data_q),
    .s_cpuif_wr_biten    (bit_enable),
    .s_cpuif_req_stall_wr(stall_write),
    .s_cpuif_req_stall_rd(stall_read),
    .s_cpuif_rd_ack      (read_ack),
    .s_cpuif_rd_err      (read_error),
    .s_cpuif_rd_data     (read_data),
    .s_cpuif_wr_ack      (write_ack),
    .s_cpuif_wr_err      (write_error),
    .hwif_in             (set_i),
    .hwif_out            (is_o)
  );

endmodule
