// A reset onto a net that reaches all flip-flops of the device: a global network of the ECP5, by a DCCA.
// Source  Lattice FPGA-TN-02200 (ECP5 sysCLOCK usage guide): primary clocks may drive clock enables and resets.
module reset_buffer (
  input  logic reset_ni,
  output logic reset_no
);

  DCCA u_cell (
    .CLKI(reset_ni),
    .CE  (1'b1),
    .CLKO(reset_no)
  );

endmodule
