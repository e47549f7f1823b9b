// SPDX-License-Identifier: Apache-2.0
// The system on a ULX3S board with an LFE5U-85F; ulx3s.lpf has its pins. Not run on hardware.
//
//   clk_25mhz_i ── EHXPLLL ── clk, 25 * Feedback / Input MHz ── soc_serial ── UART over the board's USB, 8N1, Baud
//
//   led_o       7 .. 3                 2         1             0
//               code it stopped with   stopped   byte lost     half seconds while the clock runs
//
// Contract    button_i (FIRE 1) is pressed: reset, as long as the PLL has not locked. wifi_gpio0_o is high, which keeps the
//             board's ESP32 from taking the FPGA over.
// Source      Lattice FPGA-TN-02200 (ECP5 sysCLOCK): the PLL's oscillator runs at 400 to 800 MHz.
module soc_ulx3s #(
  parameter int unsigned Words    = 65536,
  parameter int unsigned Rows     = 8,
  parameter int unsigned Input    = 1,      // 25 MHz are divided by this ...
  parameter int unsigned Feedback = 2,      // ... and multiplied by this
  parameter int unsigned Baud     = 115200
) (
  input  logic       clk_25mhz_i,
  input  logic       button_i,
  input  logic       ftdi_txd_i,   // to us
  output logic       ftdi_rxd_o,   // from us
  output logic [7:0] led_o,
  output logic       wifi_gpio0_o
);

  localparam int unsigned Clock = 25_000_000 / Input * Feedback;
  localparam int unsigned Output = (600_000_000 + Clock / 2) / Clock;  // the oscillator near 600 MHz
  if (Clock * Output < 400_000_000 || Clock * Output > 800_000_000) begin : gen_bad_clock
    $fatal(1, "soc_ulx3s: the PLL cannot make this clock");
  end

  logic clk, locked, rst_n;
  EHXPLLL #(
    .CLKI_DIV(Input), .CLKFB_DIV(Feedback), .CLKOP_DIV(Output), .CLKOP_CPHASE(Output / 2 - 1), .CLKOP_FPHASE(0),
    .CLKOP_ENABLE("ENABLED"), .FEEDBK_PATH("CLKOP"), .OUTDIVIDER_MUXA("DIVA"), .PLLRST_ENA("DISABLED"),
    .INTFB_WAKE("DISABLED"), .STDBY_ENABLE("DISABLED"), .DPHASE_SOURCE("DISABLED")
  ) u_pll (
    .CLKI(clk_25mhz_i), .CLKFB(clk), .CLKOP(clk), .LOCK(locked), .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0),
    .PHASESEL1(1'b0), .PHASEDIR(1'b0), .PHASESTEP(1'b0), .PHASELOADREG(1'b0), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0)
  );
  ulx3s_reset u_reset (.clk_i(clk), .locked_i(locked), .button_i, .rst_no(rst_n));

  logic lost, stopped;
  /* verilator lint_off UNUSEDSIGNAL */ // three bits have no light
  logic [7:0] stop_code;
  /* verilator lint_on UNUSEDSIGNAL */
  soc_serial #(.Words(Words), .Rows(Rows), .Divisor((Clock + Baud / 2) / Baud)) u_system (
    .clk_i(clk), .rst_ni(rst_n), .rx_i(ftdi_txd_i), .tx_o(ftdi_rxd_o), .lost_o(lost), .stopped_o(stopped),
    .stop_code_o(stop_code)
  );

  localparam int unsigned HalfSecond = Clock / 2;
  logic [$clog2(HalfSecond)-1:0] beat_q;
  logic light_q;
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      beat_q  <= '0;
      light_q <= 1'b0;
    end else begin
      beat_q  <= beat_q == '0 ? ($bits(beat_q))'(HalfSecond - 1) : beat_q - ($bits(beat_q))'(1);
      light_q <= light_q ^ (beat_q == '0);
    end
  end
  assign led_o = {stop_code[4:0], stopped, lost, light_q};
  assign wifi_gpio0_o = 1'b1;

endmodule
