// SPDX-License-Identifier: Apache-2.0
// Whose turn it is: of those that ask the first behind the one that was served last. Used by axi_mux, and by
// aes_groups for messages.
//
//   cycle      0    1    2
//   asks_i     1    3    1
//   chosen_o   0    1    0       master 0 was served last
//   taken_i    0    1    0
//
// Contract    chosen_o means something while any_o: it asks. In the cycle of taken_i it is the one that is served; before, it
//             follows asks_i.
// Parameters  Masters 1 to 4. Width: bits of chosen_o.
module axi_turn #(
  parameter int unsigned Masters = 3,
  parameter int unsigned Width   = 2
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [Masters-1:0] asks_i,
  input  logic               taken_i,
  output logic               any_o,
  output logic [Width-1:0]   chosen_o
);

  logic [Width-1:0] last_q;

  assign any_o = asks_i != '0;

  always_comb begin
    chosen_o = last_q;
    for (int unsigned i = Masters; i > 0; i--) begin  // the nearest behind the last one at the end
      if (asks_i[(32'(last_q)+i)%Masters]) chosen_o = Width'((32'(last_q) + i) % Masters);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= '0;
    else if (taken_i) last_q <= chosen_o;
  end

endmodule
