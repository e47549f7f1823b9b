// SPDX-License-Identifier: Apache-2.0
// Says when completions are worth an interrupt: one was marked, enough are written, or the first has waited long enough.
//
//   cycle       0  1  2  3  4  5  6  7  8  9         count_i = 3, cycles_i = 0
//   written_i   1     1     1           1
//   raise_o                       1                  and counting begins anew
//
// Contract    With count_i = 0 and cycles_i = 0 marked completions alone raise. `raise_o` is a pulse, one cycle behind a
//             marked completion and two behind the completion or the cycle that is enough; what is written meanwhile is
//             told by it, too. `clear_i` forgets what was counted and is not enough.
module interrupt_coalescer (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic [7:0]  count_i,
  input  logic [23:0] cycles_i,
  input  logic        written_i,
  input  logic        marked_i,   // with written_i
  output logic        raise_o
);

  logic [7:0]  waiting_q;  // completions since the last raise, 255: or more
  logic [23:0] timer_q;    // cycles since the first of them
  logic        marked_q, enough_q, late_q, some_q;

  assign raise_o = marked_q || enough_q || late_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= '0;
      timer_q   <= '0;
      marked_q  <= 1'b0;
      enough_q  <= 1'b0;
      late_q    <= 1'b0;
      some_q    <= 1'b0;
    end else begin
      marked_q <= written_i && marked_i && !raise_o;
      enough_q <= count_i != '0 && waiting_q >= count_i && !raise_o;
      late_q   <= cycles_i != '0 && some_q && timer_q >= cycles_i && !raise_o;
      if (clear_i || raise_o) begin
        waiting_q <= '0;
        timer_q   <= '0;
        some_q    <= 1'b0;
      end else begin
        if (written_i && waiting_q != '1) waiting_q <= waiting_q + 1'b1;
        if (written_i) some_q <= 1'b1;
        if (some_q && timer_q != '1) timer_q <= timer_q + 1'b1;
      end
    end
  end

endmodule
