// SPDX-License-Identifier: Apache-2.0
// Tells call_profile.cpp of each instruction that the processor has done. For simulation alone; garner_hw.soc.profile binds it.
// Called with +profile=FILE and +profile_root=ADDRESS (hexadecimal): where to write, and the function to be profiled.
//
//            ┌─┐ ┌─┐ ┌─┐ ┌─┐ ┌─┐ ┌─┐
// clk       ─┘ └─┘ └─┘ └─┘ └─┘ └─┘ └
// fires_i   ───┐___________┌───┐_____   an instruction leaves the last stage
// pc_i         X    A      X B          the cycles behind A, until B leaves, are B's
`default_nettype none

module call_profile (
  input wire logic        clk,
  input wire logic        fires_i,
  input wire logic [31:0] pc_i,
  input wire logic [31:0] instruction_i
);
  import "DPI-C" function void call_profile_begin(string path, int unsigned root);
  import "DPI-C" function void call_profile_instruction(int unsigned pc, int unsigned instruction, longint unsigned cycle);

  string           path;
  int unsigned     root;
  longint unsigned cycle;

  initial begin
    cycle = 0;
    if ($value$plusargs("profile=%s", path) == 0 || $value$plusargs("profile_root=%h", root) == 0)
      $fatal(1, "call_profile: +profile=FILE or +profile_root=ADDRESS is missing");
    call_profile_begin(path, root);
  end

  always @(posedge clk) begin
    cycle <= cycle + 1;
    if (fires_i) call_profile_instruction(pc_i, instruction_i, cycle);
  end
endmodule

`default_nettype wire
