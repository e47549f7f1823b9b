// SPDX-License-Identifier: Apache-2.0
// The system's memory: one port for instructions, one for data, a word each.
//
//   cycle            0    1    2    3
//   valid_i          1    1    0    0      held by the processor until ready
//   ready_o          0    1    0    0
//   data_o                D                the word before a write to it
//
//   wait_i: as many cycles more between valid_i and ready_o, as a memory outside the chip would take
//
// Contract    Bits of an address above the memory are ignored: who decodes has seen to them. A port's accesses are
//             done in order; an instruction written is read from the cycle after on (but see the processor's cache).
//             The memory is filled from the file of the plus-argument +memory=FILE ($readmemh). Reset: no answer is
//             under way; words stay.
module soc_memory #(
  parameter int unsigned Words = 131072  // a power of two
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

  logic [31:0] words[Words];
  /* verilator lint_off UNUSEDSIGNAL */ // the bits above the memory
  logic [29:0] unused_address;
  /* verilator lint_on UNUSEDSIGNAL */
  assign unused_address = instruction_address_i ^ data_address_i;

`ifndef SYNTHESIS
  string file;
  initial if ($value$plusargs("memory=%s", file)) $readmemh(file, words);
`endif

  // ---- The cycle before the answer
  logic [7:0] instruction_waited_q, data_waited_q;
  logic instruction_ends, data_ends;
  assign instruction_ends = instruction_valid_i && !instruction_ready_o && instruction_waited_q >= wait_i;
  assign data_ends = data_valid_i && !data_ready_o && data_waited_q >= wait_i;

  always_ff @(posedge clk_i) begin
    instruction_data_o <= words[address_t'(instruction_address_i)];
    data_o             <= words[address_t'(data_address_i)];
    for (int unsigned i = 0; i < 4; i++) begin
      if (data_ends && data_write_i && data_strobe_i[i]) begin
        words[address_t'(data_address_i)][8*i+:8] <= data_i[8*i+:8];
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {instruction_ready_o, data_ready_o} <= '0;
      instruction_waited_q <= '0;
      data_waited_q <= '0;
    end else begin
      instruction_ready_o <= instruction_ends;
      data_ready_o        <= data_ends;
      instruction_waited_q <= instruction_ends || !instruction_valid_i || instruction_ready_o
                              ? '0 : instruction_waited_q + 8'd1;
      data_waited_q <= data_ends || !data_valid_i || data_ready_o ? '0 : data_waited_q + 8'd1;
    end
  end

endmodule
