# SPDX-License-Identifier: Apache-2.0
"""The system on chip in simulation, against big integers; and what it does when parts of it fail."""

import random
import subprocess

import pytest

from garner_hw.model.rsa import Key
from garner_hw.soc import DESCRIPTION, SCHEMES, build, check
from garner_hw.soc.system import RSA, TIMEOUT, TRAPPED, Refused, Stopped, System

CHECK_FAILED, BAD_OPERAND = RSA.statuses.of("CheckFailed", "BadOperand")


@pytest.fixture(scope="module")
def system():
    with System() as running:
        yield running


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("level, bits", [("software", 96), ("row", 64), ("row", 512), ("mul", 96), ("mul", 512), ("exp", 512)])
def test_every_scheme_at_every_level_says_what_the_host_says(system, level, bits, scheme):
    answer = check.exp(system, level, scheme, bits)
    assert answer.fallback == 0


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 0x10001, (1 << 96) - 1])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("level, bits", [("software", 96), ("row", 128), ("mul", 96)])
def test_schemes_of_the_processor_bear_exponents_at_the_edges(system, level, bits, scheme, exponent):
    assert check.exp(system, level, scheme, bits, exponent).fallback == 0


@pytest.mark.parametrize("bits", [64, 96, 512, 544, 1024, *(pytest.param(bits, marks=pytest.mark.soak) for bits in (2016, 2048))])
def test_multiplier_does_to_the_bit_what_its_twin_does(system, bits):
    check.twin(system, bits, 30 if bits < 600 else 6)


@pytest.mark.parametrize("hardware", [False, True])
def test_toy_rsa_of_bytes_says_what_the_host_says(system, hardware):
    answer = check.toy(system, hardware, 20)
    assert (answer.moving > 0) == hardware, answer


def test_row_unit_leaves_a_product_three_times_as_fast_as_software(system):
    software, row = (check.exp(system, level, "l2r", 512, (1 << 40) - 1) for level in ("software", "row"))
    assert software.cycles > 3 * row.cycles, (software, row)


def test_multiplier_keeps_its_array_busy(system):
    """A product takes as long as the array's passes, 2 * words here: operands stay, and the queue never runs dry."""
    answer = check.exp(system, "mul", "l2r", 1024, (1 << 64) - 1)
    products = 2 * 63 + 2 + 7  # of the exponent, to and from Montgomery form, for R^2
    assert products * 8 * 58 <= answer.core < 1.05 * products * 8 * 58 + 1000, answer


@pytest.mark.parametrize("level, bits", [("software", 192), ("op", 512), ("op", 1024)])
def test_private_operation_says_what_the_host_says(system, level, bits):
    assert check.private(system, level, bits).fallback == 0


@pytest.mark.soak
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("level, bits", [("software", 512), ("mul", 1024), ("mul", 1536), ("mul", 2048), ("row", 1024), ("exp", 1024),
                                         ("exp", 1536), ("exp", 2048)])
def test_long_operands_say_what_the_host_says(system, level, bits, scheme):
    assert check.exp(system, level, scheme, bits).fallback == 0


@pytest.mark.soak
@pytest.mark.parametrize("level, bits", [("software", 1024), ("op", 1536), ("op", 2048)])
def test_long_keys_say_what_the_host_says(system, level, bits):
    assert check.private(system, level, bits).fallback == 0


def test_processor_and_monitor_count_the_same(system):
    answer = check.exp(system, "exp", "sliding", 512)
    assert 0 <= answer.monitor - answer.cycles < 100, answer  # between their starts, and between their ends
    moved = 4 * 512 // 32  # n, base, exponent, result
    assert 3 * moved <= answer.moving <= 12 * moved, answer
    assert answer.core + answer.moving < answer.cycles + moved, answer


def test_software_touches_the_core_not_at_all(system):
    answer = check.exp(system, "software", "sliding", 96)
    assert (answer.moving, answer.core) == (0, 0)


@pytest.mark.parametrize("level", ["exp", "row"])  # the row unit takes two words a pass
def test_length_that_the_accelerator_has_not_is_done_in_software_and_said(system, level):
    answer = check.exp(system, level, "sliding", 96)
    assert (answer.fallback, answer.core) == (1, 0)


@pytest.mark.parametrize("line, why", [
    ("exp 2 3 512 " + "f" * 127 + "e 1 1", "n is even"),
    ("exp 2 3 512 " + "7" * 128 + " 1 1", "n is shorter"),
    ("exp 2 3 512 " + "f" * 128 + " " + "f" * 128 + " 1", "base is not below n"),
    ("exp 2 3 512 " + "f" * 129 + " 1 1", "too long"),
    ("exp 2 3 512 fg 1 1", "no hexadecimal"),
    ("exp 0 3 64 " + "f" * 16 + " \x0012 3", "no hexadecimal"),
    ("exp zz 3 512 3 1 1", "no decimal"),
    ("exp 0 3 64x 3 1 1", "no decimal"),
    ("exp 4294967296 3 512 3 1 1", "no decimal"),
    ("exp 0 3 000000000640 " + "f" * 16 + " 2 3", "no decimal"),  # twelve digits, of which eleven say 64
    ("exp 2 3 512 " + "f" * 128, "missing"),
    ("exp 9 3 512 3 1 1", "LEVEL or SCHEME"),
    ("exp 2 4 512 3 1 1", "LEVEL or SCHEME"),
    ("exp 2 3 4096 3 1 1", "BITS"),
    ("exp", "BITS"),
    ("private 3 512 " + "f" * 128, "missing"),
    ("private 1 512", "LEVEL"),
    ("settings 0", "WAIT"),
    ("settings 2 0", "INTERRUPTS"),
    ("settings 0 256", "WAIT"),
    ("read zz", "ADDRESS"),
    ("stop", "CODE"),
    ("sing", "unknown command"),
])
def test_bad_command_is_refused_and_the_next_one_answered(system, line, why):
    with pytest.raises(Refused, match=why):
        system.command(line)
    check.exp(system, "software", "l2r", 64)


@pytest.mark.parametrize("level", ["op", pytest.param("software", marks=pytest.mark.soak)])
@pytest.mark.parametrize("part, wrong", [
    ("p", lambda key: key.p ^ 2), ("p", lambda key: key.q), ("q", lambda key: key.q ^ 2), ("e", lambda key: key.e ^ 2),
    ("dp", lambda key: key.dp ^ 2), ("dp", lambda key: 0), ("dq", lambda key: key.dq ^ 2),
    ("qinv", lambda key: key.qinv ^ 2), ("qinv", lambda key: 0), ("qinv", lambda key: key.p)])
def test_key_with_a_wrong_part_gives_no_answer(system, level, part, wrong):
    """From one that is right modulo one prime alone, anybody computes the other (Boneh, DeMillo, Lipton 1997)."""
    key = Key.generate(512)
    m = random.randrange(key.n)
    setattr(key, part, wrong(key))
    with pytest.raises(Refused, match="do not fit together"):
        system.private(level, key, m)


def test_hung_core_is_given_up_and_software_answers():
    with System(fault="hang") as system:
        for answer in (check.exp(system, "exp", "sliding", 512, 0x10001), check.exp(system, "mul", "l2r", 512, 3),
                       check.exp(system, "row", "l2r", 512, 3),
                       check.private(system, "op", 512)):
            assert (answer.fallback, answer.status) == (1, TIMEOUT)


def test_corrupted_signature_is_never_released():
    with System(fault="corrupt") as system:
        answer = check.private(system, "op", 512)
        assert answer.fallback == 1 and answer.status in (CHECK_FAILED, BAD_OPERAND)


@pytest.mark.parametrize("level", ["exp", "mul", "row"])
def test_corrupted_power_is_seen_by_the_host(level):
    """That the comparison on the host can fail: nothing on the system checks a power."""
    with System(fault="corrupt") as system, pytest.raises(check.Wrong):
        check.exp(system, level, "sliding", 512)


def test_corrupted_product_is_seen_by_the_twin():
    with System(fault="corrupt") as system, pytest.raises(check.Wrong, match="differ"):
        check.twin(system, 512, 3)


def test_hung_multiplier_is_not_taken_for_wrong_products_by_the_twin():
    with System(fault="hang") as system, pytest.raises(check.Wrong, match=rf"did not answer.*status {TIMEOUT}"):
        check.twin(system, 512, 3)


@pytest.fixture
def settings(system):
    yield system.settings
    system.settings()


def test_core_is_waited_for_by_interrupt(system, settings):
    before = check.exp(system, "exp", "sliding", 512)
    settings(interrupts=True)
    answer = check.exp(system, "exp", "sliding", 512)
    assert answer.interrupts - before.interrupts == 2 and answer.spurious == 0, answer  # modulus, power


def test_spurious_interrupts_are_counted_and_waited_over():
    with System(fault="spurious") as system:
        polled = check.exp(system, "exp", "sliding", 512)
        assert (polled.interrupts, polled.spurious) == (0, 0), polled
        system.settings(interrupts=True)
        answer = check.exp(system, "exp", "sliding", 512)
        assert answer.fallback == 0 and answer.spurious > 10 and answer.interrupts > answer.spurious, answer


def test_interrupt_that_never_comes_holds_nobody_up():
    with System(fault="hang") as system:
        system.settings(interrupts=True)
        answer = check.exp(system, "exp", "sliding", 512, 0x10001)
        assert (answer.fallback, answer.status, answer.interrupts) == (1, TIMEOUT, 0), answer


def test_slow_memory_changes_times_and_nothing_else(system, settings):
    for work in (lambda: check.exp(system, "software", "sliding", 96), lambda: check.private(system, "op", 512)):
        settings()
        fast = work().cycles
        settings(memory_wait=50)
        assert work().cycles > fast


@pytest.mark.parametrize("level, peripheral, register", [("exp", "rsa", "montgomery"), ("mul", "mont", "built"),
                                                         ("row", "row", "built")])  # what its driver reads first
def test_silent_peripheral_is_a_trap_that_names_the_address(level, peripheral, register):
    why = f"bus fault: nobody answers at {DESCRIPTION[peripheral].address(register):08x}"
    with System(fault="silent") as system, pytest.raises(Stopped, match=why) as stopped:
        check.exp(system, level, "sliding", 512)
    assert stopped.value.code == TRAPPED


@pytest.mark.parametrize("address", [0xF00A0000, 0x80000, 0x7FFFFFE0])  # the last two by the cache
def test_address_without_anything_is_a_trap_that_names_it(address):
    with System() as system, pytest.raises(Stopped, match=f"bus fault: nobody answers at {address:08x}") as stopped:
        system.command(f"read {address:x}")
    assert stopped.value.code == TRAPPED


@pytest.mark.parametrize("upper", [0x00080, 0x80000, 0xF0000])  # behind the memory, in its mirror, a peripheral's
def test_program_that_runs_out_of_memory_is_a_trap_that_names_the_place(upper, monkeypatch, tmp_path):
    image = build.firmware()
    words = image.read_text().split()
    symbols = subprocess.run(["riscv64-unknown-elf-nm", image.parent / "firmware.elf"], check=True, capture_output=True, text=True)
    (main,) = (int(line.split()[0], 16) for line in symbols.stdout.splitlines() if line.endswith(" T main"))
    words[main // 4:main // 4 + 2] = [f"{upper << 12 | 0x2b7:08x}", "00028067"]  # lui t0, UPPER; jr t0
    jumps = tmp_path / "memory.hex"
    jumps.write_text("\n".join(words))
    monkeypatch.setattr(build, "firmware", lambda _, flags=(): jumps)
    why = f"trap cause 00000002 value 00000000 pc {upper << 12:08x}"  # an instruction that there is not
    with System() as system, pytest.raises(Stopped, match=why) as stopped:
        system.command("read 0")
    assert stopped.value.code == TRAPPED


def test_run_ends_at_its_limit_of_cycles():
    with System(cycles=20_000) as system, pytest.raises(Stopped, match="20000 cycles, the limit"):
        check.exp(system, "exp", "sliding", 512)


def test_code_of_stop_is_the_programs():
    with System() as system, pytest.raises(Stopped) as stopped:
        system.command("stop 7")
    assert stopped.value.code == 7
