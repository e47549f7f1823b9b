# SPDX-License-Identifier: Apache-2.0
"""NIST's AESAVS on both ciphers: the known answers (GFSbox, KeySbox, VarTxt, VarKey) and multi-block messages of the
response files that pyca's `cryptography-vectors` carries, and the Monte Carlo test by its definition (AESAVS 6.4.2), whose
oracle is libcrypto, as no package carries its response files."""

import os
import re
from importlib.resources import files

import cocotb
import pytest

from tb.aes import test_decrypt, test_encrypt
from tb.aes.reference import decrypted, encrypted

# How many of each there are
FILES = {128: {"CBCGFSbox128": 7, "CBCKeySbox128": 21, "CBCVarTxt128": 128, "CBCVarKey128": 128, "CBCMMT128": 10},
         192: {"CBCGFSbox192": 6, "CBCKeySbox192": 24, "CBCVarTxt192": 128, "CBCVarKey192": 192, "CBCMMT192": 10},
         256: {"CBCGFSbox256": 5, "CBCKeySbox256": 16, "CBCVarTxt256": 128, "CBCVarKey256": 256, "CBCMMT256": 10}}
WAYS = {"encrypt": test_encrypt, "decrypt": test_decrypt}
MONTE_CARLO = (1, 1000)  # of AESAVS' 100 keys, and all of a key's blocks
SEED = test_encrypt.KEY, bytes.fromhex("256953b2feab2a04ae0180d8335bbed6"), \
    bytes.fromhex("2e586692e647f5028ec6fa47a55a2aab")  # any key, IV and block do


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key_bits, tests", [
    (128, "response_files"),
    *(pytest.param(*other, marks=pytest.mark.soak) for other in ((128, "monte_carlo"), (192, ""), (256, "")))])
def test_vectors(monkeypatch, way, key_bits, tests):
    monkeypatch.setenv("WAY", way)
    monkeypatch.setenv("COCOTB_TEST_FILTER", tests)
    WAYS[way].run(1, 0, module=__name__, key_bits=key_bits)


def vectors(name: str, part: str) -> list[dict[str, bytes]]:
    """Key, IV, plaintext and ciphertext of each count of a part, ENCRYPT or DECRYPT, of a response file."""
    text = files("cryptography_vectors").joinpath("ciphers", "AES", "CBC", f"{name}.rsp").read_text()
    section = re.split(r"^\[(\w+)\]\s*$", text, flags=re.MULTILINE)
    body = section[section.index(part) + 1]
    return [{key.lower(): bytes.fromhex(value) for key, value in re.findall(r"^(\w+) = ([0-9a-f]+)\s*$", block, re.MULTILINE)}
            for block in re.split(r"^COUNT = \d+\s*$", body, flags=re.MULTILINE)[1:]]


class Cipher:
    """The cipher under test, one message at a time in slot 0."""

    def __init__(self, dut):
        self.way = os.environ["WAY"]
        self.engine = WAYS[self.way].Engine(dut)

    async def answer(self, count: int) -> bytes:
        engine = self.engine
        lane = engine.answers[0] if self.way == "encrypt" else engine.answers
        for _ in range(100 + 60 * count):
            if len(lane) == count:
                break
            await engine.step()
        assert len(lane) == count and not any(refused for _, refused, _ in lane)
        text = b"".join(block for _, _, block in lane)
        lane.clear()
        return text

    async def __call__(self, iv: bytes, text: bytes) -> bytes:
        self.engine.message(*(() if self.way == "decrypt" else (0,)), 0, iv, text)
        return await self.answer(len(text) // 16)

    async def load(self, key: bytes) -> None:
        await self.engine.load(0, key)


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def response_files_come_out(dut):
    cipher = Cipher(dut)
    await cipher.engine.start()
    for name, count in FILES[test_encrypt.KEY_BITS].items():
        found = vectors(name, cipher.way.upper())
        assert len(found) == count
        for vector in found:
            given, wanted = vector["plaintext"], vector["ciphertext"]
            if cipher.way == "decrypt":
                given, wanted = wanted, given
            await cipher.load(vector["key"])
            assert await cipher(vector["iv"], given) == wanted, (name, vector)


@cocotb.test(timeout_time=200, timeout_unit="ms")
async def monte_carlo_comes_out(dut):
    """AESAVS 6.4.2: 1,000 blocks of which each is the cipher's answer before; key and IV of the next round are made of them."""
    cipher = Cipher(dut)
    await cipher.engine.start()
    software = encrypted if cipher.way == "encrypt" else decrypted

    async def monte_carlo(convert, load):
        key, iv, block = SEED
        found = []
        for _ in range(MONTE_CARLO[0]):
            await load(key)
            before, answer, chain = iv, b"", iv
            for _ in range(MONTE_CARLO[1]):
                previous, answer = answer, await convert(key, chain, block)
                # The chain of the next block: this ciphertext
                chain = answer if cipher.way == "encrypt" else block
                block, before = before, answer
            found.append(answer)
            key = bytes(a ^ b for a, b in zip(key, (previous + answer)[-len(key):]))
            iv, block = answer, previous
        return found

    async def hardware(_, iv, block):
        return await cipher(iv, block)

    async def reference(key, iv, block):
        return software(key, iv, block)

    async def nothing(_):
        pass

    assert await monte_carlo(hardware, cipher.load) == await monte_carlo(reference, nothing)
