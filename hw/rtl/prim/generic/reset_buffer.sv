// A reset onto a net that reaches all flip-flops of the device. Twin without one, for simulation: a wire.
module reset_buffer (
  input  logic reset_ni,
  output logic reset_no
);

  assign reset_no = reset_ni;

endmodule
