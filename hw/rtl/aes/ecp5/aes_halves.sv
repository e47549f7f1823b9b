// SPDX-License-Identifier: Apache-2.0
// A table of bytes, looked up for both values of the address's top bit at once: seven bits are the most that one tile of
// the ECP5 looks up, so the eighth is better taken where the next gate is.
//
//   cycle     0
//   data_i    A, seven bits
//   low_o     table[A];  high_o: table[128 + A]     without a register
//
// Contract    See the generic twin.
module aes_halves #(
  parameter aes_pkg::look_e Look = aes_pkg::LookForward,
  parameter logic [7:0]     Bits = 8'hFF
) (
  input  logic [6:0] data_i,
  output logic [7:0] low_o,
  output logic [7:0] high_o
);

  localparam aes_pkg::bits_t All = Look == aes_pkg::LookForward ? aes_pkg::ForwardBits :
                                   Look == aes_pkg::LookDoubled ? aes_pkg::DoubledBits : aes_pkg::InverseBits;

  for (genvar i = 0; i < 8; i++) begin : gen_bit
    if (Bits[i]) begin : gen_used
      lookup #(
        .Inputs  (7),
        .Contents(All[i][127:0])
      ) u_low (
        .address_i(data_i),
        .data_o   (low_o[i])
      );
      lookup #(
        .Inputs  (7),
        .Contents(All[i][255:128])
      ) u_high (
        .address_i(data_i),
        .data_o   (high_o[i])
      );
    end else begin : gen_unused
      assign low_o[i]  = 1'b0;
      assign high_o[i] = 1'b0;
    end
  end

endmodule
