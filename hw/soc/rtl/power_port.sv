// SPDX-License-Identifier: Apache-2.0
// The peripheral `power` of hw/interface/soc.toml: 2^n, the smallest accelerator there is, that of FIU's experiment.
// Also the shortest example of a peripheral: copy it to begin one's own.
//
//   cycle             0    1
//   access_i.valid    1    0        read of word n
//   answer_o.ready    0    1        with 2^n
//
// Contract    Always answered in the next cycle; n modulo 32; writes do nothing. silent_i (tests alone): no answer.
// Source      FIU's Power_HW(), which takes n by a store and gives 2^n by a load. Here n is the address: one access.
module power_port
  import soc_pkg::*;
(
  input  logic    clk_i,
  input  logic    rst_ni,
  input  access_t access_i,
  output answer_t answer_o,
  input  logic    silent_i
);

  logic unused;
  assign unused = access_i.write ^ (^access_i.word[13:5]) ^ (^access_i.data);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answer_o <= '0;
    else answer_o <= '{ready: access_i.valid && !silent_i, data: 32'd1 << access_i.word[4:0]};
  end

endmodule
