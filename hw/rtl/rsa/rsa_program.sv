// SPDX-License-Identifier: Apache-2.0
// The microprogram's memory, in logic: a word of each bank of 8, then one of each four of these, then the instruction.
// (Three bits have few functions: most of the first registers serve many bits.)
//
//   cycle           0    1    2    3
//   pc_i            P
//   instruction_o                  Program[P]
//
// Contract    pc_i is below ProgramLength, where it is to mean anything (beyond it no word is promised), and may change
//             in every cycle. No enable and no reset: the first three cycles give anything.
module rsa_program
  import rsa_pkg::instruction_t;
  import rsa_program_pkg::*;
(
  input  logic               clk_i,
  input  logic [PcWidth-1:0] pc_i,
  output instruction_t       instruction_o
);

  localparam int unsigned BankWords = 8;
  localparam int unsigned Groups = (ProgramLength + 4 * BankWords - 1) / (4 * BankWords);
  instruction_t bank_q[4*Groups], group_q[Groups];
  logic [PcWidth-1:3] late_1_q;
  logic [PcWidth-1:5] late_2_q;
  for (genvar bank = 0; bank < 4 * Groups; bank++) begin : gen_bank
    /* verilator lint_off ASCRANGE */ // in the order of the program
    instruction_t [0:BankWords-1] words;
    /* verilator lint_on ASCRANGE */
    for (genvar i = 0; i < BankWords; i++) begin : gen_word
      if (bank * BankWords + i < ProgramLength) begin : gen_instruction
        assign words[i] = Program[bank*BankWords+i];
      end else begin : gen_none
        assign words[i] = '0;
      end
    end
    always_ff @(posedge clk_i) bank_q[bank] <= words[pc_i[2:0]];
  end
  for (genvar group = 0; group < Groups; group++) begin : gen_group
    always_ff @(posedge clk_i) group_q[group] <= bank_q[4*group+32'(late_1_q[4:3])];
  end

  always_ff @(posedge clk_i) begin
    late_1_q      <= pc_i[PcWidth-1:3];
    late_2_q      <= late_1_q[PcWidth-1:5];
    instruction_o <= group_q[late_2_q];
  end

endmodule
