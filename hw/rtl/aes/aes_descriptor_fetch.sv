// SPDX-License-Identifier: Apache-2.0
// Takes descriptors from the submission ring of an AES engine and checks what can be checked of them alone. The ring is
// that of descriptor_fetch (hw/rtl/bus), whose descriptors are jobs with operands.
//
//   cycle        0   ..  3   ..  9   ..  24  25  26          dma_read before it, and a memory that answers in two cycles
//   tail         +1
//   command              D                                   64 bytes
//   read                         d0  ..  d15
//   head_o                                   +1
//   fragment_o                                   F           until it is taken, with its status: BusFault,
//                                                            BadDescriptor, BadSlot or BadLength if it is refused
//   stray_o                                      S           it names no message of this engine, or could not be read
//
// Contract    head_o never passes the tail. An impossible tail (more descriptors than the ring holds) stops the fetch and
//             is shown by overrun_o. Every fetched_o is followed by exactly one fragment. It is always one of a message that
//             there is: of message 0 if stray_o. One that could not be read is all zeros.
module aes_descriptor_fetch
  import ring_pkg::*;
  import aes_descriptor_pkg::*;
  import bus_pkg::*;
  import ring_control_pkg::*;
#(
  parameter int unsigned KeyBits  = 128,
  parameter int unsigned Messages = 4,
  parameter int unsigned KeySlots = 4
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             enable_i,
  input  logic             hold_i,     // read no more descriptors for now
  input  logic             restart_i,  // head to 0; only while nothing is under way
  input  submission_ring_t ring_i,
  output logic [15:0]      head_o,
  output logic             overrun_o,
  output logic             fetched_o,  // pulse: a descriptor was read, a completion will follow
  output logic             more_o,     // there are descriptors to read; known two cycles after a change
  output logic             quiet_o,    // no descriptor is being read or waits
  output logic             fault_o,    // pulse: one could not be read

  output command_t         command_o,
  input  logic             command_ready_i,
  input  read_word_t       read_i,

  output logic             fragment_valid_o,
  input  logic             fragment_ready_i,
  output aes_descriptor_t  fragment_o,
  output aes_status_e      status_o,
  output logic             stray_o,
  output logic [15:0]      index_o
);

  typedef enum logic [2:0] {
    Idle,
    Command,
    Read,
    Check,
    Offer,
    Settle  // until what is said of the indices counts the last head
  } state_e;

  localparam int unsigned LoadBytes = KeyBits == 128 ? KeyBytes : LongKeyBytes;  // whole blocks

  state_e                     state_q;
  logic [15:0]                head_q, pending_q, size_q;
  logic                       more_q, overrun_q, reserved_q, fault_q;
  logic [3:0]                 word_q;
  logic [UsedWords-1:0][31:0] words_q;
  aes_descriptor_t            descriptor;
  aes_status_e                status_q;
  logic                       stray, stray_q;

  assign descriptor        = aes_descriptor_t'(words_q);
  assign head_o            = head_q;
  assign overrun_o         = overrun_q;
  assign more_o            = more_q;
  assign quiet_o           = state_q == Idle;
  assign fetched_o         = read_i.valid && read_i.last;
  assign fault_o           = fetched_o && read_i.error;
  assign command_o.valid   = state_q == Command;
  assign command_o.words   = 16'(DescriptorWords);
  assign fragment_valid_o  = state_q == Offer;
  assign fragment_o        = descriptor;
  assign status_o          = status_q;
  assign stray             = 32'(descriptor.message) >= Messages;
  assign stray_o           = stray_q;
  assign index_o           = head_q - 16'd1;

  ring_address #(
    .PlaceLog2($clog2(4 * DescriptorWords))
  ) u_address (
    .clk_i,
    .base_i     (ring_i.base),
    .size_log2_i(ring_i.log2),
    .index_i    (head_q),
    .address_o  (command_o.address)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
      more_q    <= 1'b0;
      size_q    <= '0;
      overrun_q <= 1'b0;
    end else begin
      pending_q <= ring_i.tail - head_q;
      more_q    <= pending_q != '0;
      size_q    <= 16'd1 << ring_i.log2;
      overrun_q <= pending_q > size_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Idle;
      head_q     <= '0;
      word_q     <= '0;
      reserved_q <= 1'b0;
      fault_q    <= 1'b0;
      words_q    <= '0;
      status_q   <= AesOk;
      stray_q    <= 1'b0;
    end else begin
      unique case (state_q)
        Idle: begin
          word_q     <= '0;
          reserved_q <= 1'b0;
          if (restart_i) head_q <= '0;
          else if (enable_i && !hold_i && !overrun_q && more_q) state_q <= Command;
        end
        Command: if (command_ready_i) state_q <= Read;
        Read: if (read_i.valid) begin
          word_q     <= word_q + 4'd1;
          reserved_q <= reserved_q || (word_q > 4'(UsedWords - 1) && read_i.data != '0);
          fault_q    <= read_i.error;
          for (int unsigned i = 0; i < UsedWords; i++) if (word_q == 4'(i)) words_q[i] <= read_i.data;
          if (read_i.last) begin
            head_q  <= head_q + 16'd1;
            state_q <= Check;
          end
        end
        Check: begin
          // Of a descriptor that could not be read nothing counts, its tag neither
          if (fault_q) words_q <= '0;
          else if (stray) words_q[0][7:4] <= '0;  // message
          stray_q  <= fault_q || stray;
          status_q <= fault_q ? AesBusFault :
                      reserved_q || stray ? AesBadDescriptor :
                      32'(descriptor.slot) >= KeySlots ? AesBadSlot :
                      descriptor.length == '0 || descriptor.length[$clog2(BlockBytes)-1:0] != '0 ||
                      (descriptor.load_key && descriptor.length != LoadBytes) ? AesBadLength : AesOk;
          state_q <= Offer;
        end
        Offer: if (fragment_ready_i) state_q <= Settle;
        default: state_q <= Idle;
      endcase
    end
  end

endmodule
