# SPDX-License-Identifier: Apache-2.0
"""The tests of aes_engine, run by test_engine.py: what a driver sees, and nothing else but in the test of erasure."""

import os
import random

import cocotb
from cocotb.triggers import ClockCycles

from garner_hw.drivers.aes import (BAD_DESCRIPTOR, BAD_LENGTH, BAD_SLOT, BROKEN_CHAIN, BUS_FAULT, DESCRIPTOR, EMPTY_SLOT, OK,
                                   EngineHost)
from garner_hw.drivers.host import EVERY_INTERRUPT, REGISTERS
from tb.aes.reference import decrypted, encrypted

DECRYPT, MESSAGES, STAGES, BUS, KEY_BITS = (
    int(os.environ[name]) for name in ("DECRYPT", "MESSAGES", "STAGES", "BUS", "KEY_BITS"))
KEY = KEY_BITS // 8  # bytes
ROUNDS = KEY_BITS // 32 + 6
# Cycles a block: of the cipher, or of the bus with its beats of a block each way at once, whichever takes longer
BOUND = max(ROUNDS / STAGES if DECRYPT else (ROUNDS + 1) / MESSAGES, 128 / BUS)
SLOTS = 3
GUARD = 24  # bytes beside every fragment that must stay
IV = bytes(range(16))
converted = decrypted if DECRYPT else encrypted


async def ready(dut, stall=0.0, keys=SLOTS) -> tuple[EngineHost, list[bytes]]:
    """A host whose engine is enabled, and the keys that are in its slots."""
    host = EngineHost(dut)
    await host.reset()
    host.stall(stall)
    await host.start()
    found = [random.randbytes(KEY) for _ in range(keys)]
    done = await host.run([host.key(key, slot, slot % MESSAGES) for slot, key in enumerate(found)])
    assert [done[place].status for place in range(keys)] == [OK] * keys
    return host, found


class Message:
    """Random fragments of one message in memory, at any byte addresses; some in place."""

    def __init__(self, host, key, slot, number, fragments, least=1, most=40):
        self.host = host
        sizes = [16 * random.randint(least, most) for _ in range(fragments)]
        text, iv = random.randbytes(sum(sizes)), random.randbytes(16)
        self.expected, self.places, self.descriptors = converted(key, iv, text), [], []
        at = 0
        for place, size in enumerate(sizes):
            source = host.memory.allocate(size + 2 * GUARD, 64, random.randrange(64)) + GUARD
            destination = source
            if random.random() < 0.7:
                destination = host.memory.allocate(size + 2 * GUARD, 64, random.randrange(64)) + GUARD
            for address in {source, destination}:
                host.memory.put(address - GUARD, b"\xA5" * (size + 2 * GUARD))
            host.memory.put(source, text[at:at + size])
            self.places.append((destination, size))
            self.descriptors.append(host.fragment(source, destination, size, iv if place == 0 else None,
                                                  place == fragments - 1, slot, number, random.getrandbits(16)))
            at += size

    def check(self):
        assert b"".join(self.host.memory.get(*place) for place in self.places) == self.expected
        for address, size in self.places:
            assert self.host.memory.get(address - GUARD, GUARD) == self.host.memory.get(address + size, GUARD) == b"\xA5" * GUARD


def shuffled(messages):
    """Their descriptors in one order in which each message's own stay in theirs."""
    order = [message for message in messages for _ in message.descriptors]
    random.shuffle(order)
    left = {id(message): list(message.descriptors) for message in messages}
    return [left[id(message)].pop(0) for message in order]


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def registers_say_what_was_built(dut):
    host, _ = await ready(dut)
    assert await host.field("CAPABILITY_CORES_CORES") == MESSAGES
    assert await host.field("CAPABILITY_CORES_KEY_SLOTS") == SLOTS
    assert await host.field("CAPABILITY_ARITHMETIC_MAX_BITS") == 0
    assert 32 << await host.field("CAPABILITY_CORES_BUS_WIDTH") == BUS
    assert await host.field("CAPABILITY_MONTGOMERY_R_STEP") == DECRYPT
    assert await host.field("CAPABILITY_MONTGOMERY_OPERAND_WORDS") == KEY_BITS // 32 - 4


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def jobs_are_counted_when_their_completions_are_written(dut):
    host, _ = await ready(dut)
    await host.idle()
    assert await host.counter("JOBS") == SLOTS


async def scatter(dut, stall, rounds):
    host, keys = await ready(dut, stall)
    begin = host.memory.used
    for _ in range(rounds):
        host.memory.free_all(begin)
        messages = []
        for number in range(MESSAGES):
            slot = random.randrange(SLOTS)
            messages.append(Message(host, keys[slot], slot, number, random.randint(1, 6)))
        descriptors = shuffled(messages)
        done = await host.run(descriptors)
        for place, descriptor in enumerate(descriptors):
            assert (done[place].status, done[place].tag) == (OK, DESCRIPTOR.unpack(descriptor)["tag"])
        for message in messages:
            message.check()
    await host.idle()


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def random_scatter_lists_of_interleaved_messages_are_those_of_libcrypto(dut):
    await scatter(dut, 0.0, 4)


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def bus_stalls_change_nothing(dut):
    await scatter(dut, 0.5, 3)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_fragment_waits_for_the_key_before_it_that_another_message_brings(dut):
    host, _ = await ready(dut, keys=0)  # an empty slot at first, then one with the key before
    for stall in (0.0, 0.0, 0.0, 0.3, 0.3, 0.6):
        host.stall(stall)
        for slot in range(SLOTS):
            key = random.randbytes(KEY)
            message = Message(host, key, slot, MESSAGES - 1, 1)
            done = await host.run([host.key(key, slot, 0), *message.descriptors])
            assert {completion.status for completion in done.values()} == {OK}
            message.check()


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_change_of_key_slot_and_of_a_key_lies_between_messages(dut):
    host, keys = await ready(dut)
    new = random.randbytes(KEY)
    messages = [Message(host, keys[0], 0, 0, 2), Message(host, keys[1], 1, 0, 2), Message(host, new, 0, 0, 2)]
    done = await host.run([*messages[0].descriptors, *messages[1].descriptors, host.key(new, 0), *messages[2].descriptors])
    assert {completion.status for completion in done.values()} == {OK}
    for message in messages:
        message.check()


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def bad_fragments_are_refused_and_the_ring_goes_on(dut):
    host, keys = await ready(dut, keys=2)
    memory = host.memory
    source, destination = memory.allocate(256), memory.allocate(256)

    def fragment(length=16, **options):
        return host.fragment(source, destination, length, **{"iv": IV, "slot": 0, **options})

    bad = [(fragment(0), BAD_LENGTH), (fragment(8), BAD_LENGTH), (fragment(17), BAD_LENGTH),
           (fragment(slot=SLOTS), BAD_SLOT), (fragment(slot=255), BAD_SLOT), (fragment(slot=2), EMPTY_SLOT),
           (fragment(message=MESSAGES), BAD_DESCRIPTOR), (fragment(iv=None), BROKEN_CHAIN),
           (fragment()[:40] + b"\1" + bytes(23), BAD_DESCRIPTOR),
           (fragment()[:60] + b"\0\0\0\x80", BAD_DESCRIPTOR),
           (DESCRIPTOR.pack(load_key=1, slot=1, length=32 if KEY == 16 else 16, source_address=source), BAD_LENGTH),
           (DESCRIPTOR.pack(load_key=1, slot=SLOTS, length=16 if KEY == 16 else 32, source_address=source), BAD_SLOT)]
    for descriptor, status in bad:
        message = Message(host, keys[0], 0, 0, 1)
        done = await host.run([descriptor, *message.descriptors])
        assert [done[0].status, done[1].status] == [status, OK]
        message.check()
    assert memory.get(destination, 256) == bytes(256)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_message_ends_with_its_last_fragment_and_with_one_that_fails(dut):
    host, _ = await ready(dut, keys=2)
    source, destination = host.memory.allocate(256), host.memory.allocate(256)

    def fragment(**options):
        return host.fragment(source, destination, 16, **{"iv": IV, "slot": 0, **options})

    first, wrong, more = fragment(), fragment(slot=2, iv=None), fragment(iv=None)
    done = await host.run([first, more, fragment(iv=None, last=True), more])
    assert [done[place].status for place in range(4)] == [OK, OK, OK, BROKEN_CHAIN]
    done = await host.run([first, wrong, more, first, more])
    assert [done[place].status for place in range(5)] == [OK, EMPTY_SLOT, BROKEN_CHAIN, OK, OK]


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_refused_fragment_waits_its_turn_and_breaks_its_message(dut):
    host, _ = await ready(dut, keys=1)
    source, destination = host.memory.allocate(4096), host.memory.allocate(4096)

    def fragment(length=16, message=MESSAGES - 1, **options):
        return host.fragment(source, destination, length, message=message, **options)

    async def ends(refused, message, unreadable=False):
        """How a long fragment, this one and one that goes on with the first end, in the order of their ends."""
        at = host.submission + DESCRIPTOR.bytes * ((host.tail + 1) % (1 << host.log2[0]))
        host.memory.read_faults = [range(at, at + 1)] if unreadable else []
        done = await host.run([fragment(4096, message, iv=IV), refused, fragment(message=message)])
        return [(place, done[place].status) for place in done]

    reserved = fragment()[:40] + b"\1" + bytes(23)
    for refused, status in ((fragment(17), BAD_LENGTH), (fragment(slot=SLOTS), BAD_SLOT), (reserved, BAD_DESCRIPTOR)):
        assert await ends(refused, MESSAGES - 1) == [(0, OK), (1, status), (2, BROKEN_CHAIN)]
        if MESSAGES > 1:  # others go on
            assert sorted(await ends(refused, 0)) == [(0, OK), (1, status), (2, OK)]
    for message in {0, MESSAGES - 1}:  # of a fragment that may have been any message's
        for refused, status in ((fragment(message=MESSAGES), BAD_DESCRIPTOR), (fragment(), BUS_FAULT)):
            assert await ends(refused, message, status == BUS_FAULT) == [(0, OK), (1, status), (2, BROKEN_CHAIN)]


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def data_that_cannot_be_read_or_written_is_told_and_the_ring_goes_on(dut):
    host, keys = await ready(dut)
    memory = host.memory
    source, destination = memory.allocate(2048, 64, 3), memory.allocate(2048, 64, 5)
    memory.put(source, random.randbytes(2048))
    for reading, at in ((True, 900), (False, 900), (True, 0), (False, 1500)):
        memory.put(destination, bytes(2048))
        memory.read_faults = [range(source + at, source + at + 1)] if reading else []
        memory.write_faults = [] if reading else [range(destination + at, destination + at + 1)]
        descriptor = host.fragment(source, destination, 1600, IV, False, 0, MESSAGES - 1)
        message = Message(host, keys[0], 0, MESSAGES - 1, 2)
        done = await host.run([descriptor, host.fragment(source, destination, 16, None, True, 0, MESSAGES - 1),
                               *message.descriptors])
        assert [done[place].status for place in range(4)] == [BUS_FAULT, BROKEN_CHAIN, OK, OK]
        if reading:  # nothing is written of a group that could not be read
            behind = at // 256 * 256
            assert memory.get(destination + behind, 2048 - behind) == bytes(2048 - behind)
        message.check()
        assert await host.read("ERROR") == REGISTERS["ERROR_DATA_FAULT"]
        await host.write("ERROR", REGISTERS["ERROR_DATA_FAULT"])


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def nothing_is_used_of_a_key_that_could_not_be_read(dut):
    """Nor of the key before it in the slot, by a fragment of any message behind it."""
    host, keys = await ready(dut)
    text = host.memory.allocate(64)
    for status, error, named in ((BUS_FAULT, 0, 0), (BUS_FAULT, KEY - 1, 0), (BAD_LENGTH, None, 0), (BAD_DESCRIPTOR, None, 0),
                                 (BAD_DESCRIPTOR, None, MESSAGES)):
        key = host.key(random.randbytes(KEY), 1, named)
        fields = DESCRIPTOR.unpack(key)
        if status == BAD_LENGTH:
            key = DESCRIPTOR.pack(**fields | {"length": 48})
        elif status == BAD_DESCRIPTOR and named == 0:
            key = key[:60] + b"\1\0\0\0"
        at = fields["source_address"] + (error or 0)
        host.memory.read_faults = [] if error is None else [range(at, at + 1)]
        behind = [host.fragment(text, text, 16, IV, True, 1, number) for number in {0, MESSAGES - 1}]
        other = Message(host, keys[0], 0, 0, 1)
        done = await host.run([key, *behind, *other.descriptors])
        assert [done[place].status for place in range(len(done))] == [status, *[EMPTY_SLOT] * len(behind), OK]
        other.check()
        raised = 0 if error is None else REGISTERS["ERROR_DATA_FAULT"]
        assert await host.read("ERROR") == raised
        await host.write("ERROR", raised)
        host.memory.read_faults = []
        message = Message(host, keys[1], 1, 0, 1)
        done = await host.run([host.key(keys[1], 1), *message.descriptors])
        assert [done[place].status for place in range(2)] == [OK, OK]
        message.check()


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_key_that_is_loaded_is_written_nowhere(dut):
    host, _ = await ready(dut)
    key, destination = random.randbytes(KEY), host.memory.allocate(64)
    descriptor = DESCRIPTOR.unpack(host.key(key, 0)) | {"destination_address": destination}
    assert (await host.run([DESCRIPTOR.pack(**descriptor)]))[0].status == OK
    message = Message(host, key, 0, 0, 1)
    await host.run(message.descriptors)
    message.check()
    assert host.memory.get(destination, 64) == bytes(64) and all(host.memory.data.count(key[at:at + 8]) == 1 for at in range(0, KEY, 8))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_descriptor_that_cannot_be_read_is_told_and_the_ring_goes_on(dut):
    host, keys = await ready(dut)
    source = host.memory.allocate(64)
    host.memory.read_faults = [range(host.submission, host.submission + 1024)]
    assert (await host.run([host.fragment(source, source, 16, IV)]))[0].status == BUS_FAULT
    host.memory.read_faults = []
    message = Message(host, keys[0], 0, 0, 1)
    assert (await host.run(message.descriptors))[0].status == OK
    message.check()


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def completions_interrupt_as_their_descriptors_say(dut):
    host, _ = await ready(dut)
    await host.write("INTERRUPT_ENABLE", 1)
    source = host.memory.allocate(64)
    await host.run([host.fragment(source, source, 16, IV)])
    assert not await host.interrupt(0, 100)
    await host.run([host.fragment(source, source, 16, IV, mark=True)])
    assert await host.interrupt(0, 100)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_disabled_ring_raises_idle_with_descriptors_that_were_not_fetched(dut):
    host, _ = await ready(dut)
    await host.idle()
    await host.write("INTERRUPT_STATUS", EVERY_INTERRUPT)
    await host.write("INTERRUPT_ENABLE", REGISTERS["INTERRUPT_ENABLE_IDLE"])
    source = host.memory.allocate(64)
    before = await host.read("SUBMISSION_HEAD")
    host.axi.write_if.b_channel.pause = True
    for place in range(12):
        host.put(host.fragment(source, source, 16, IV, True, 0, place % MESSAGES))
    await host.ring()
    await ClockCycles(dut.clk_i, 3000)
    await host.write("CONTROL", 0)
    fetched = await host.read("SUBMISSION_HEAD") - before
    in_flight = await host.field("CAPABILITY_CORES_IN_FLIGHT")
    assert in_flight == MESSAGES + 1 and 0 < fetched <= in_flight + 3
    host.axi.write_if.b_channel.pause = False
    assert await host.interrupt(1, 1000 * fetched)
    await host.stop()
    assert await host.read("INTERRUPT_STATUS") == REGISTERS["INTERRUPT_STATUS_IDLE"]


async def zeroised(dut, pause: int) -> tuple[EngineHost, list[bytes], list[Message], list[int]]:
    """An engine that is erased in the midst of long messages: host, keys, the messages, how their fragments ended."""
    host, keys = await ready(dut)
    messages = long_messages(host, keys)
    descriptors = shuffled(messages)
    task = cocotb.start_soon(host.run(descriptors))
    await ClockCycles(dut.clk_i, pause)
    memories, _ = holding_secrets(dut)
    assert any(int(word.value) for memory in memories for word in memory)
    await zeroise(host)
    done = await task
    return host, keys, messages, [done[place].status for place in range(len(descriptors))]


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def zeroise_ends_what_runs(dut):
    *_, statuses = await zeroised(dut, 700)
    assert set(statuses) <= {OK, EMPTY_SLOT, BROKEN_CHAIN} and EMPTY_SLOT in statuses


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def zeroise_overwrites_keys_and_blocks(dut):
    for pause in (700, 903, 1200):
        await zeroised(dut, pause)
        memories, registers = holding_secrets(dut)
        assert not any(int(word.value) for memory in memories for word in memory)
        assert not any(int(register.value) for register in registers)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def zeroise_writes_nothing_beside_the_messages_that_it_ends(dut):
    host, _, messages, _ = await zeroised(dut, 903)
    for address, size in (place for message in messages for place in message.places):
        assert host.memory.get(address - GUARD, GUARD) == b"\xA5" * GUARD == host.memory.get(address + size, GUARD)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def the_engine_takes_keys_and_messages_after_zeroise(dut):
    host, keys, *_ = await zeroised(dut, 1200)
    done = await host.run([host.key(key, slot) for slot, key in enumerate(keys)])
    assert {completion.status for completion in done.values()} == {OK}
    message = Message(host, keys[0], 0, 0, 2)
    await host.run(message.descriptors)
    message.check()


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def what_waits_when_zeroise_comes_is_refused_and_a_key_among_it(dut):
    for pause, a_key_waits in ((400, True), (700, False), (1000, True)):
        host, keys = await ready(dut)
        place = host.memory.allocate(64)
        blocks = 2500 * STAGES // ROUNDS if DECRYPT else 2500 // (ROUNDS + 1)  # under way for 2,500 cycles
        running = Message(host, keys[0], 0, 0, 1, blocks, blocks)
        waiting = [host.key(random.randbytes(KEY), 1, 0) if a_key_waits else host.fragment(place, place, 16),
                   host.fragment(place, place, 16, IV, slot=1)]
        task = cocotb.start_soon(host.run([running.descriptors[0], *waiting]))
        await ClockCycles(dut.clk_i, pause)
        assert await host.field("STATUS_IN_FLIGHT") == 2, "one runs, one was read and waits"
        await zeroise(host)
        assert await host.field("STATUS_IN_FLIGHT") == 0
        done = await task
        assert [done[place].status for place in range(3)] == [EMPTY_SLOT] * 3


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def zeroising_lasts_until_the_bus_is_quiet(dut):
    for _ in range(4):
        host, keys = await ready(dut)
        task = cocotb.start_soon(host.run([host.key(keys[0], 0)]))
        while not int(dut.u_core.u_bus.busy_o.value):  # its descriptor is asked for
            await ClockCycles(dut.clk_i, 1)
        host.stall(0.97)
        await zeroise(host)
        assert int(dut.u_core.u_bus.busy_o.value) == 0
        host.stall(0.0)
        await task


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def reset_empties_the_slots_and_overwrites_keys_and_blocks(dut):
    host, keys = await ready(dut)
    memories, registers = holding_secrets(dut)
    await host.run(shuffled(long_messages(host, keys)))
    assert any(int(word.value) for memory in memories for word in memory)
    await host.reset()
    while await host.field("STATUS_ZEROISING"):
        pass
    assert not any(int(word.value) for memory in memories for word in memory)
    assert not any(int(register.value) for register in registers)
    await host.start()
    source = host.memory.allocate(64)
    assert (await host.run([host.fragment(source, source, 16, IV)]))[0].status == EMPTY_SLOT


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def zeroise_empties_the_slots(dut):
    host, *_ = await zeroised(dut, 700)
    source = host.memory.allocate(64)
    done = await host.run([host.fragment(source, source, 16, IV, slot=slot) for slot in range(SLOTS)])
    assert [done[slot].status for slot in range(SLOTS)] == [EMPTY_SLOT] * SLOTS


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def zeroise_forgets_a_chain_that_waits_for_its_next_fragment(dut):
    host, _ = await ready(dut)
    source = host.memory.allocate(64)
    first, next_one = host.fragment(source, source, 16, IV), host.fragment(source, source, 16, None)
    assert [completion.status for completion in (await host.run([first])).values()] == [OK]
    await zeroise(host)
    assert [completion.status for completion in (await host.run([next_one])).values()] == [BROKEN_CHAIN]


async def zeroise(host: EngineHost) -> None:
    """Has the engine erase all that is secret, and waits until it has."""
    await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_ZEROISE"])
    while await host.field("STATUS_ZEROISING"):
        pass


def long_messages(host: EngineHost, keys: list[bytes]) -> list[Message]:
    """One for each that the engine holds at once; each is under way for 1,800 cycles."""
    least = int(600 / BOUND / MESSAGES)  # blocks
    return [Message(host, keys[number % SLOTS], number % SLOTS, number, 3, least, least + 20) for number in range(MESSAGES)]


def holding_secrets(dut) -> tuple[list, list]:
    """The engine's memories and registers that hold keys or blocks."""
    cipher = dut.u_core.u_cipher.gen_decrypt.u_cipher if DECRYPT else dut.u_core.u_cipher.gen_encrypt.u_cipher
    memories = [cipher.first_keys_q, cipher.answers_q] if DECRYPT else [cipher.keys_q]
    fifos = []
    for number in range(MESSAGES):
        message = dut.u_core.u_messages[f"gen_message[{number}]"].u_message
        fifos += [message.u_in, message.u_out]
    reader, writer = dut.u_core.u_messages.u_reader, dut.u_core.u_messages.u_writer
    beats = writer.u_beats
    fifos.append(beats.u_fifo)
    memories += [fifo.words_q for fifo in fifos]
    registers = [dut.u_core.u_cipher.key_block_q, reader.data_q, reader.u_turn.half_q, reader.u_turn.turned_q,
                 reader.u_turn.before_q, reader.block_q, beats.part_q, beats.u_turn.half_q, beats.u_turn.turned_q,
                 beats.u_turn.before_q, *(fifo.word_q for fifo in fifos)]
    return memories, registers


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def erasure_at_any_moment_of_a_load_leaves_nothing_of_the_key(dut):
    host, _ = await ready(dut)
    cipher, met = dut.u_core.u_cipher, set()
    inner = cipher.gen_decrypt.u_cipher if DECRYPT else cipher.gen_encrypt.u_cipher
    held = [cipher.key_block_q, cipher.loading_q, cipher.key_q]
    held += [cipher.gen_long.first_block_q, cipher.gen_long.first_q] if KEY > 16 else []
    held += [] if DECRYPT else [inner.pair_q]
    for delay in range(20, 150 if KEY > 16 else 110, 1 if KEY > 16 else 5):
        key, other, message = random.randbytes(KEY), random.randbytes(KEY), delay % MESSAGES
        task = cocotb.start_soon(host.run([host.key(key, 1, message)]))
        await ClockCycles(dut.clk_i, delay)
        met.add(tuple(int(register.value) != 0 for register in held))
        await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_ZEROISE"])
        ended = (await task)[0].status
        assert ended in (OK, EMPTY_SLOT)
        while await host.field("STATUS_ZEROISING"):
            pass
        assert not any(int(register.value) for register in held)
        place = host.memory.allocate(16)
        assert (await host.run([host.fragment(place, place, 16, IV, slot=1)]))[0].status == EMPTY_SLOT
        # The next key has nothing of that one
        assert (await host.run([host.key(other, 1, message)]))[0].status == OK
        text = Message(host, other, 1, 0, 1, 1, 3)
        await host.run(text.descriptors)
        text.check()
    assert len(met) > 1, "the erasures met no load"


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def fragments_of_64_kib_keep_bus_or_cipher_busy(dut):
    host, keys = await ready(dut)
    size = 1 << 16
    descriptors, expected, places = [], [], []
    for number in range(MESSAGES):
        text = random.randbytes(size)
        source, destination = host.memory.allocate(size), host.memory.allocate(size)
        host.memory.put(source, text)
        descriptors.append(host.fragment(source, destination, size, IV, True, number % SLOTS, number))
        expected.append(converted(keys[number % SLOTS], IV, text))
        places.append(destination)
    await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_CLEAR_COUNTERS"])
    done = await host.run(descriptors)
    cycles = max(done[place].cycles for place in done)
    window, bus = await host.counter("CYCLES"), await host.counter("BUS_CYCLES")
    assert [host.memory.get(place, size) for place in places] == expected
    blocks = MESSAGES * size // 16
    dut._log.info(f"{blocks} blocks in {cycles} cycles, {cycles / blocks:.2f} a block; bus under way in {bus} cycles "
                  f"of {window}, {bus / window:.1%}")
    dut._log.info(f"bound {BOUND:.2f} cycles a block: {BOUND * blocks / cycles:.1%} of it")
    assert BOUND * blocks > 0.95 * cycles
    if BOUND == 128 / BUS:
        assert bus > 0.95 * window
