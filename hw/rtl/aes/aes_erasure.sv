// SPDX-License-Identifier: Apache-2.0
// The erasure of an AES engine, by command and by reset: for at least 128 cycles, and until all is overwritten.
//
//   cycle      0    1    2   ..  128  129
//   zeroise_i  1
//   wipe_o          1    1   ..   1    0     if quiet_i by then
//   begins_o        1
//
// Contract    After reset as after zeroise_i.
module aes_erasure (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic zeroise_i,  // pulse
  input  logic quiet_i,    // nothing waits or is under way, and the keys are overwritten
  output logic wipe_o,
  output logic begins_o    // pulse
);

  logic       erasing_q;
  logic [6:0] erased_q;  // cycles, up to 127

  assign wipe_o = erasing_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      erasing_q <= 1'b1;  // SEC_CM: ERASE.RESET
      erased_q  <= '0;
      begins_o  <= 1'b1;
    end else if (!erasing_q) begin
      begins_o  <= zeroise_i;
      erasing_q <= zeroise_i;  // SEC_CM: ERASE.CONTROL
      erased_q  <= '0;
    end else begin
      begins_o <= 1'b0;
      if (erased_q != '1) erased_q <= erased_q + 7'd1;
      if (erased_q == '1 && quiet_i) erasing_q <= 1'b0;
    end
  end

endmodule
