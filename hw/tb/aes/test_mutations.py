# SPDX-License-Identifier: Apache-2.0
"""Seeded bugs of AES-CBC, each of which must make the tests of cipher or engine fail."""

import pytest

from garner_hw import HW
from tb.aes import test_decrypt, test_encrypt, test_engine
from tb.mutant import mutant, replaced

# The bug, the module it is in, what is replaced there by what
ENCRYPT = [
    ("a last round mixed", "generic/aes_round", "= shifted ^ key_i;", "= aes_pkg::mix_columns(shifted) ^ key_i;"),
    ("a constant one round late", "aes_encrypt_lane", ": 8'h04;", ": 8'h02;"),
    ("the chain not added", "aes_encrypt_lane", "(chained_q ? answer_q : '0)", "'0"),
    ("a chain into the next message", "aes_encrypt_lane", "chained_q <= !in_first_i;", "chained_q <= 1'b1;"),
    ("an empty slot used", "aes_encrypt_lane", "!full_i ||", "1'b0 ||"),
    ("a key before its slot kept by zeroise", "aes_key_pair", "key_q <= wipe_i ? '0 : key_i;", "key_q <= key_i;"),
    ("a slot full after zeroise", "aes_cbc_encrypt", "if (zeroise_i) begin\n        full_q    <= '0;", "if (zeroise_i) begin"),
    ("a slot that is never emptied", "aes_cbc_encrypt", "if (empty_i[s])", "if (1'b0)"),
    ("keys not overwritten", "aes_cbc_encrypt", "loading_q ? pair : '0", "pair"),
    ("an answer over another", "aes_encrypt_lane", "waits_q && !advance_q && !out_valid_o", "waits_q && !advance_q"),
    ("a block that waits kept", "aes_encrypt_lane", "enter_q    <= taken_q[0] || wipe_i;", "enter_q    <= taken_q[0];"),
    ("a block on its way kept", "aes_encrypt_lane", "wipe_q ? '0 : in_data_i", "in_data_i"),
    ("the key of the slot on offer", "aes_cbc_encrypt", "keys_q[key_slot]", "keys_q[slot]"),
    ("the column of a word not rotated", "aes_key_step", "key_i[12+(i+1)%4]", "key_i[12+i]"),
]
DECRYPT = [
    ("a last round mixed", "aes_inverse_round", "last_q ? shifted_q :", "1'b0 ? shifted_q :"),
    ("round keys not mixed", "aes_inverse_schedule", "outer_q ? key :", "1'b1 ? key :"),
    ("round keys in the order of encryption", "aes_inverse_schedule", "4'(left_q - StepWidth'(1))",
     "4'(Rounds + 1 - left_q)"),
    ("a constant too late", "aes_inverse_schedule", "constant_q <= 8'h02;", "constant_q <= 8'h04;"),
    ("the chain of another block", "aes_cbc_decrypt", "chain_q[ended_q]", "chain_q[taken_q]"),
    ("an IV that is not taken", "aes_cbc_decrypt", "in_first_i ? in_iv_i : cipher_q}", "cipher_q}"),
    ("an empty slot used", "aes_cbc_decrypt", "refuse = !full ||", "refuse = 1'b0 ||"),
    ("a message that goes on behind its refusal", "aes_cbc_decrypt", "|| (refused_q && !in_first_i)", ""),
    ("a key over that of blocks inside", "aes_cbc_decrypt", ".Wait   (Latency + 3)", ".Wait   (1)"),
    ("a key in the slot of another", "aes_cbc_decrypt", "(PlaceWidth'(slot_q) << PassWidth) | PlaceWidth'(p)", "PlaceWidth'(p)"),
    ("a block over one that returns", "aes_cbc_decrypt",
     "!(inside_q[Stages-1][1].valid && !is_last(inside_q[Stages-1][1].place))", "1'b1"),
    ("more blocks than places", "aes_cbc_decrypt", "count_q < (BufferLog2 + 1)'((1 << BufferLog2) - 2)", "1'b1"),
    ("an answer before the reader took the last", "aes_cbc_decrypt", "&& (!out_valid_o || out_ready_i)", ""),
    ("slots full after zeroise", "aes_cbc_decrypt",
     "if (zeroise_i) begin\n        wiping_q  <= 1'b1;\n        wipe_q    <= '0;\n        full_q    <= '0;",
     "if (zeroise_i) begin\n        wiping_q  <= 1'b1;\n        wipe_q    <= '0;"),
    ("a slot that is never emptied for decryption", "aes_cbc_decrypt", "if (empty_i[s])", "if (1'b0)"),
    ("first keys not overwritten", "aes_cbc_decrypt", "if (wiping_q || (write && write_round == '0))",
     "if (write && write_round == '0)"),
    ("round keys not overwritten", "aes_cbc_decrypt", "mine  = wiping_q;", "mine  = 1'b0;"),
    ("answers not overwritten", "aes_cbc_decrypt", "if (wiping_q) answers_q[wipe_q[BufferLog2-1:0]] <= '0;\n    else if",
     "if"),
    ("state kept", "aes_cbc_decrypt", "if (stage_wipe_q[s]) state_q[s] <= '0;\n      else if", "if"),
]
LONG = [  # keys of 256 bits, of 192, on the way to the engine's cipher
    ("a key of 256 bits with Rcon in every step", "aes_long_key_step", "turn_i == 2'd0;\n  assign key_o", "1'b1;\n  assign key_o", 256),
    ("a constant for each key", "aes_long_schedule", "if (used) constant_q", "constant_q", 256),
    ("a turn that is left out", "aes_long_schedule", "Turns - 1", "Turns - 2", 192),
    ("a word of the first keys not as given", "aes_long_first", "words[4] ^ words[3], 64'd0", "words[4], 64'd0", 192),
]
LONG_ENGINE = [
    ("half a key kept by zeroise", "aes_cipher", "if (wipe_i || loaded) first_block_q", "if (loaded) first_block_q"),
    ("the half of another key", "aes_cipher", "if (wipe_i || loaded) first_q", "if (loaded) first_q"),
    ("a block of a key twice", "aes_message", "load_key ? key_next_i || key_end_i || dropped_q", "load_key ? key_end_i || dropped_q"),
]
ENGINE = [  # and whether decryption shows it
    ("bytes beside a group", "aes_beats", "(merges.first ? behind : '1)", "'1", 0),
    ("bytes behind a group", "aes_beats", "? ~behind : '1", "? '1 : '1", 0),
    ("a beat without a place", "aes_beats", "room_q       <= taken_q <", "room_q       <= 1'b1 || taken_q <", 0),
    ("a group given twice", "aes_message", " - (write_q ? (Log2 + 1)'(write_blocks_q) : '0);", ";", 1),
    ("an earlier beat's error lost", "aes_reader", "failed: failed_q ||", "failed:", 0),
    ("an earlier burst's error lost", "aes_writer", "failed   = failed_q ||", "failed   =", 0),
    ("a broken chain carried on", "aes_message", "chain_q <= status_q == AesOk &&", "chain_q <=", 0),
    ("a message that goes on behind its last", "aes_message", "&& !fragment_q.last;", ";", 0),
    ("a failed read forgotten", "aes_messages", "(group_end[m] && group_failed) ||", "", 0),
    ("a failed write forgotten", "aes_messages", "|| (write_end[m] && write_failed)", "", 0),
    ("a descriptor beside a key on its way", "aes_messages", "may_begin        = !key_under_way_q &&", "may_begin        =", 0),
    ("a slot full behind a key that failed", "aes_messages", "fragment_ready_o && fragment_i.load_key &&", "1'b0 &&", 0),
    ("a refused fragment carried out", "aes_message", "end else if (status_i != AesOk) begin", "end else if (1'b0) begin", 0),
    ("a stray descriptor beside others", "aes_messages", "(!stray_i || ready_q == '1)", "1'b1", 0),
    ("a message that outlives a stray descriptor", "aes_message", "if (breaks_i) chain_q <= 1'b0;", "", 0),
    ("a chain kept by zeroise", "aes_message", "chain_q           <= 1'b0;", "", 0),
    ("blocks kept by zeroise", "aes_block_fifo", "if (wipe_i || in_valid_i) words_q", "if (in_valid_i) words_q", 1),
    ("beats kept by zeroise", "aes_byte_turn", "if (here_i || wipe_i) before_q <= last_i || wipe_i ? '0 : turned_q",
     "if (here_i) before_q <= turned_q", 0),
    ("keys kept by reset", "aes_erasure", "erasing_q <= 1'b1;  // SEC_CM: ERASE.RESET\n      erased_q  <= '0;\n      begins_o  <= 1'b1;",
     "erasing_q <= 1'b0;\n      erased_q  <= '0;\n      begins_o  <= 1'b0;", 0),
    ("a key given out", "aes_message", ".in_valid_i (result_i.valid),\n    .in_data_i  (result_i.block),",
     ".in_valid_i (result_i.valid || (fragment_q.load_key && (key_next_i || key_end_i))),\n"
     "    .in_data_i  (fragment_q.load_key ? cipher_o.block : result_i.block),", 0),
    ("the tag of the fragment behind", "aes_message", "tag: fragment_q.tag", "tag: fragment_i.tag", 0),
    ("the end of another message", "aes_completions", "chosen |= ended_i[m];", "chosen |= ended_i[0];", 0),
    ("what waits not refused by zeroise", "aes_message", "if (wipe_i) begin\n            failed_q <= 1'b1;", "if (1'b0) begin\n            failed_q <= 1'b1;", 0),
    ("what waits not waited for by zeroise", "aes_core", "key_ready && messages_quiet && quiet", "key_ready && messages_quiet", 0),
    ("descriptors of a disabled ring waited for", "aes_core", "more          = settings.enable && fetch_more", "more          = fetch_more", 0),
    ("reserved words ignored", "aes_descriptor_fetch", "reserved_q || stray ?", "stray ?", 0),
]

BUGS = [*((*bug, lambda changed: test_encrypt.run(1, 1, changed, "mutant")) for bug in ENCRYPT),
        *((*bug, lambda changed: test_decrypt.run(2, 1, changed, "mutant")) for bug in DECRYPT),
        *((*bug, lambda changed, bits=bits: test_encrypt.run(1, 1, changed, "mutant", key_bits=bits)) for *bug, bits in LONG),
        *((*bug, lambda changed: test_engine.run(0, changed, "mutant", Messages=2, KeyBits=192)) for bug in LONG_ENGINE),
        *((*bug, lambda changed, decrypt=decrypt: test_engine.run(decrypt, changed, "mutant")) for *bug, decrypt in ENGINE)]


@pytest.mark.parametrize("_bug, module, text, becomes, _run", BUGS, ids=[bug[0].replace(" ", "-") for bug in BUGS])
def test_bug_fits_the_source(_bug, module, text, becomes, _run):
    replaced(source(module), text, becomes)


@pytest.mark.mutation
@pytest.mark.parametrize("bug, module, text, becomes, run", BUGS, ids=[bug[0].replace(" ", "-") for bug in BUGS])
def test_tests_catch(bug, module, text, becomes, run):
    with pytest.raises(SystemExit):  # so does cocotb's runner end when tests fail; a model that does not build raises else
        run([mutant(source(module), text, becomes, bug)])


def source(module):
    return HW / "rtl" / "aes" / f"{module}.sv"
