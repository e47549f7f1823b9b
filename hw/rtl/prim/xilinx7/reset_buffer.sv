// A reset onto a net that reaches all flip-flops of the device: a global network of the 7 series, by a BUFG.
// Source  Xilinx UG472 (7 series clocking resources).
module reset_buffer (
  input  logic reset_ni,
  output logic reset_no
);

  BUFG u_cell (
    .I(reset_ni),
    .O(reset_no)
  );

endmodule
