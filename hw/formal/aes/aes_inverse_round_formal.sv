// SPDX-License-Identifier: Apache-2.0
// aes_inverse_round: three cycles later state_o is the round of FIPS 197's equivalent inverse cipher, 5.3.5, written here as
// the standard has it, with the key that its place had in the cycle of state_i. InvSubBytes is the table, which
// aes_sbox_formal proves.
module aes_inverse_round_formal (
  input logic            clk_i,
  input logic            watched_i,  // the place of a key that is followed: any, constant
  input logic            wipe_i,
  input logic            write_i,
  input logic            write_place_i,
  input aes_pkg::block_t write_key_i,
  input aes_pkg::block_t state_i,
  input logic            place_i,
  input logic            last_i
);

  aes_pkg::block_t state;

  aes_inverse_round #(
    .Places(2)
  ) u_round (
    .clk_i,
    .wipe_i,
    .write_i,
    .write_place_i,
    .write_key_i,
    .state_i,
    .place_i,
    .last_i,
    .state_o(state)
  );

  // What was written to the watched place last; a write shows in the cycle after it
  logic            watched_q, begun_q, known_q;
  aes_pkg::block_t key_q;
  initial {begun_q, known_q} = '0;
  always_ff @(posedge clk_i) begin
    begun_q   <= 1'b1;
    watched_q <= begun_q ? watched_q : watched_i;
    if (begun_q && write_i && write_place_i == watched_q) begin
      known_q <= 1'b1;
      key_q   <= write_key_i;
    end
  end

  // The block that entered one and two cycles ago, with its key, if that was of the watched place and nothing was wiped
  logic            [2:1] follows_q, last_q;
  aes_pkg::block_t [2:1] entered_q, with_q;
  initial follows_q = '0;
  always_ff @(posedge clk_i) begin
    follows_q <= {follows_q[1] && !wipe_i, begun_q && known_q && place_i == watched_q && !wipe_i};
    last_q    <= {last_q[1], last_i};
    entered_q <= {entered_q[1], state_i};
    with_q    <= {with_q[1], key_q};
  end

  // 5.3.3: {0b}x^3 + {0d}x^2 + {09}x + {0e}
  localparam logic [3:0][7:0] Polynomial = {8'h0B, 8'h0D, 8'h09, 8'h0E};

  function automatic aes_pkg::block_t substituted(aes_pkg::block_t a);
    aes_pkg::block_t boxed;
    for (int unsigned i = 0; i < 16; i++) boxed[i] = aes_pkg::Inverse[a[i]];  // 5.3.2
    return boxed;
  endfunction

  function automatic aes_pkg::block_t shifted(aes_pkg::block_t a);
    aes_pkg::block_t moved;
    for (int unsigned r = 0; r < 4; r++) begin
      for (int unsigned c = 0; c < 4; c++) moved[4*((c+r)%4)+r] = a[4*c+r];  // 5.3.1
    end
    return moved;
  endfunction

  function automatic aes_pkg::block_t mixed(aes_pkg::block_t a);
    aes_pkg::block_t sum = '0;
    for (int unsigned c = 0; c < 4; c++) begin
      for (int unsigned r = 0; r < 4; r++) begin
        for (int unsigned k = 0; k < 4; k++) sum[4*c+r] ^= aes_pkg::product(a[4*c+k], Polynomial[(r+4-k)%4]);
      end
    end
    return sum;
  endfunction

  aes_pkg::block_t inner;  // 5.3.5: what AddRoundKey adds to
  always_comb begin
    inner = shifted(substituted(entered_q[2]));
    if (follows_q[2]) assert (state == ((last_q[2] ? inner : mixed(inner)) ^ with_q[2]));

    // what the module has of the same, which makes the rest inductive
    if (known_q) assert (u_round.write_q && u_round.write_place_q == watched_q ? u_round.write_key_q == key_q
                                                                                : u_round.keys_q[watched_q] == key_q);
    if (follows_q[1]) begin
      assert (u_round.boxed_q == substituted(entered_q[1]) && u_round.boxed_last_q == last_q[1]);
      assert (u_round.boxed_place_q == watched_q && u_round.keys_q[watched_q] == with_q[1]);
    end
    if (follows_q[2]) begin
      assert (u_round.shifted_q == inner && u_round.last_q == last_q[2] && u_round.key_q == with_q[2]);
    end

    cover (follows_q[2] && last_q[2]);
  end

endmodule
