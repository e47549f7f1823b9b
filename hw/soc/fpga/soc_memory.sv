// SPDX-License-Identifier: Apache-2.0
// The twin of rtl/soc_memory.sv for an FPGA: block RAM that holds the firmware from configuration on. No wait states.
//
//   cycle            0    1    2    3
//   valid_i          1    1    0    0      held by the processor until ready
//   ready_o          0    1    0    0
//   data_o                D                the word before a write to it
//
// Contract    As rtl/soc_memory.sv, but: wait_i must be 0, or the firmware's setting is without effect; an instruction
//             that is fetched in the cycle in which its word is written is undefined (the processor fetches whole lines
//             into its cache, and has to flush it to see a write). The macro FIRMWARE is the name, in quotes, of the
//             file for $readmemh; without it the memory is not defined.
module soc_memory #(
  parameter int unsigned Words = 65536  // a power of two
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [7:0]  wait_i,
  input  logic        instruction_valid_i,
  input  logic [29:0] instruction_address_i,
  output logic        instruction_ready_o,
  output logic [31:0] instruction_data_o,
  input  logic        data_valid_i,
  input  logic        data_write_i,
  input  logic [3:0]  data_strobe_i,
  input  logic [29:0] data_address_i,
  input  logic [31:0] data_i,
  output logic        data_ready_o,
  output logic [31:0] data_o
);

  localparam int unsigned AddressWidth = $clog2(Words);
  if (Words != 1 << AddressWidth) begin : gen_bad_words
    $fatal(1, "soc_memory: Words must be a power of two");
  end
  typedef logic [AddressWidth-1:0] address_t;

  // Who reads at one port what is written at the other gets anything: else there would be logic around each cell.
  (* no_rw_check *)
  logic [31:0] words[Words];
`ifdef FIRMWARE
  initial $readmemh(`FIRMWARE, words);
`endif

  logic data_begins;
  assign data_begins = data_valid_i && !data_ready_o;

  always_ff @(posedge clk_i) begin
    instruction_data_o <= words[address_t'(instruction_address_i)];
    data_o             <= words[address_t'(data_address_i)];
    for (int unsigned i = 0; i < 4; i++) begin
      if (data_begins && data_write_i && data_strobe_i[i]) begin
        words[address_t'(data_address_i)][8*i+:8] <= data_i[8*i+:8];
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {instruction_ready_o, data_ready_o} <= '0;
    end else begin
      instruction_ready_o <= instruction_valid_i && !instruction_ready_o;
      data_ready_o        <= data_begins;
    end
  end

  logic unused;  // also the addresses' bits above the memory
  assign unused = ^wait_i ^ ^instruction_address_i ^ ^data_address_i;

endmodule
