# SPDX-License-Identifier: Apache-2.0
"""aes_engine: random scatter lists of interleaved messages against libcrypto, refusals, faults, erasure, the share of the
DMA; engine_tests.py holds the tests, of encryption and of decryption."""

import pytest

from garner_hw.simulate import simulate
from garner_hw.sources import sources


def run(decrypt, instead=(), variant="", **more):
    parameters = {"Decrypt": decrypt, "Messages": 1 if decrypt else 3, "Stages": 5, "KeySlots": 3, "MaxBeats": 16, **more}
    simulate("aes_engine", sources("aes_engine", instead=instead), "tb.aes.engine_tests", parameters,
             {"DECRYPT": str(decrypt), "MESSAGES": str(parameters["Messages"]), "STAGES": str(parameters["Stages"]),
              "BUS": str(parameters.get("BusWidth", 64)), "KEY_BITS": str(parameters.get("KeyBits", 128))}, variant=variant,
             inside=("aes_block_fifo", "aes_message", "aes_messages", "aes_reader", "aes_byte_turn", "aes_beats", "aes_writer",
                     "aes_cipher", "aes_core", "aes_bus", "aes_cbc_encrypt", "aes_cbc_decrypt"))


@pytest.mark.parametrize("decrypt", [0, pytest.param(1, marks=pytest.mark.soak)])
def test_engine(decrypt):
    run(decrypt)


@pytest.mark.soak
def test_engine_of_as_many_messages_as_there_may_be():
    run(0, Messages=4)


@pytest.mark.soak
@pytest.mark.parametrize("more", [pytest.param({"Decrypt": 0, "Messages": 2, "KeyBits": 192}, id="encrypt"),
                                  pytest.param({"Decrypt": 1, "Stages": 7, "KeyBits": 256}, id="decrypt")])
def test_engine_of_longer_keys(more):
    run(more["Decrypt"], **more)


@pytest.mark.parametrize("more", [
    pytest.param({"Decrypt": 1, "Stages": 10}, id="decrypt"),
    pytest.param({"Decrypt": 0, "Messages": 4}, id="encrypt", marks=pytest.mark.soak)])
def test_engine_on_a_bus_of_128_bits(more):
    run(more["Decrypt"], **{"BusWidth": 128, "MaxBeats": 64, **more})
