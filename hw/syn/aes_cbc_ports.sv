// SPDX-License-Identifier: Apache-2.0
// `aes_cbc_encrypt` or `aes_cbc_decrypt` with a register at every port, for placement alone: see rsa_core_ports.
module aes_cbc_ports #(
  parameter  bit          Decrypt   = 1'b0,
  parameter  int unsigned Units     = 4,   // of encryption
  parameter  int unsigned Stages    = 10,  // of decryption
  parameter  int unsigned KeySlots  = 4,
  parameter  bit          Table     = 1'b1,
  localparam int unsigned SlotWidth = KeySlots > 1 ? $clog2(KeySlots) : 1,
  localparam int unsigned Messages  = Decrypt ? 1 : Units
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,
  input  logic load_i,
  output logic bit_o
);

  typedef struct packed {
    logic                          zeroise;
    logic [KeySlots-1:0]           empty;
    logic                          key_valid;
    logic [SlotWidth-1:0]          key_slot;
    logic [127:0]                  key;
    logic [Messages-1:0]           valid;
    logic [Messages-1:0]           first;
    logic [Messages*SlotWidth-1:0] slot;
    logic [Messages*128-1:0]       iv;
    logic [Messages*128-1:0]       data;
    logic [Messages-1:0]           ready;
  } in_t;
  typedef struct packed {
    logic                    key_ready;
    logic [KeySlots-1:0]     slot_full;
    logic [Messages-1:0]     ready;
    logic [Messages-1:0]     valid;
    logic [Messages-1:0]     refused;
    logic [Messages*128-1:0] data;
  } out_t;

  in_t  in_q;
  out_t out, out_q;
  logic load_q;

  always_ff @(posedge clk_i) begin
    in_q   <= {in_q[$bits(in_t)-2:0], bit_i};
    load_q <= load_i;
    out_q  <= load_q ? out : {out_q[$bits(out_t)-2:0], 1'b0};
  end
  assign bit_o = out_q[$bits(out_t)-1];

  if (Decrypt) begin : gen_decrypt
    aes_cbc_decrypt #(
      .Stages  (Stages),
      .KeySlots(KeySlots),
      .Table   (Table)
    ) u_cipher (
      .clk_i,
      .rst_ni,
      .zeroise_i    (in_q.zeroise),
      .empty_i      (in_q.empty),
      .key_valid_i  (in_q.key_valid),
      .key_ready_o  (out.key_ready),
      .key_slot_i   (in_q.key_slot),
      .key_i        (in_q.key),
      .slot_full_o  (out.slot_full),
      .in_valid_i   (in_q.valid),
      .in_ready_o   (out.ready),
      .in_first_i   (in_q.first),
      .in_slot_i    (in_q.slot),
      .in_iv_i      (in_q.iv),
      .in_data_i    (in_q.data),
      .out_valid_o  (out.valid),
      .out_ready_i  (in_q.ready),
      .out_refused_o(out.refused),
      .out_data_o   (out.data)
    );
  end else begin : gen_encrypt
    aes_cbc_encrypt #(
      .Units   (Units),
      .KeySlots(KeySlots),
      .Table   (Table)
    ) u_cipher (
      .clk_i,
      .rst_ni,
      .zeroise_i    (in_q.zeroise),
      .empty_i      (in_q.empty),
      .key_valid_i  (in_q.key_valid),
      .key_ready_o  (out.key_ready),
      .key_slot_i   (in_q.key_slot),
      .key_i        (in_q.key),
      .slot_full_o  (out.slot_full),
      .in_valid_i   (in_q.valid),
      .in_ready_o   (out.ready),
      .in_first_i   (in_q.first),
      .in_slot_i    (in_q.slot),
      .in_iv_i      (in_q.iv),
      .in_data_i    (in_q.data),
      .out_valid_o  (out.valid),
      .out_ready_i  (in_q.ready),
      .out_refused_o(out.refused),
      .out_data_o   (out.data)
    );
  end

endmodule
