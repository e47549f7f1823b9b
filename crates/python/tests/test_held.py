# SPDX-License-Identifier: Apache-2.0
"""Keys that garnerd holds: a daemon of the test's own, and cryptography as the judge."""

import copy
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from conftest import pair
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

import garner

ROOT = Path(__file__).parents[3]


@cache
def programs() -> Path:
    """The folder of the daemon and of the command, of the profile in which the workspace is tested."""
    build = ["cargo", "build", "--quiet", "--workspace", "--bin", "garnerd", "--bin", "garner"]
    subprocess.run(build, cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Path]:
    """The folder of a daemon that holds the key `www`; the module finds it by the environment at its first use."""
    (tmp_path / "keys").mkdir()
    key = tmp_path / "keys" / "www.pem"
    key.touch(mode=0o600)
    key.write_text(pair(1024).ours.to_pem())
    (tmp_path / "garnerd.toml").write_text("[key.www]\npaddings = ['pss', 'oaep']\n")
    log = tmp_path / "log"
    command = [str(programs() / "garnerd"), "--socket", "socket", "--keys", "keys", "--config", "garnerd.toml"]
    with log.open("w") as stderr, subprocess.Popen(command, cwd=tmp_path, stderr=stderr) as process:
        while "listening" not in log.read_text():
            assert process.poll() is None, log.read_text()
            time.sleep(0.01)
        yield tmp_path
        process.kill()


def in_process(folder: Path, program: str) -> str:
    """What a program prints that finds the daemon: the module looks for it once in a process."""
    environment = os.environ | {"GARNER_SOCKET": str(folder / "socket"), "GARNER_PATIENCE": "5"}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, cwd=folder, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_signatures_by_name_are_those_of_the_key(daemon: Path) -> None:
    signature = in_process(daemon, """
import garner
key = garner.HeldKey.named("www")
assert (key.bits, key.size) == (1024, 128)
print(key.sign(b"message", garner.PSS("SHA-256")).hex())
""")
    public = pair(1024).theirs.public_key()
    public.verify(bytes.fromhex(signature), b"message", padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())


def test_a_stub_is_a_held_key_before_the_daemon_runs(daemon: Path) -> None:
    stub = [str(programs() / "garner"), "stub", "--name", "www", "keys/www.pem", "--out", "stub.pem"]
    subprocess.run(stub, cwd=daemon, check=True, capture_output=True)
    key = garner.HeldKey.from_pem((daemon / "stub.pem").read_text())
    assert copy.copy(key) is key and copy.deepcopy({"key": key}) == {"key": key}
    assert key.public_key == pair(1024).ours.public_key
    assert in_process(daemon, """
import garner
from pathlib import Path
key, pss = garner.HeldKey.from_pem(Path("stub.pem").read_bytes()), garner.PSS("SHA-256")
print(key.public_key.verify(b"message", key.sign(b"message", pss), pss))
""") == "None"


def test_lists_are_signed_and_threads_share_the_daemon(daemon: Path) -> None:
    signatures = in_process(daemon, """
import garner
from concurrent.futures import ThreadPoolExecutor
key, pss = garner.HeldKey.named("www"), garner.PSS("SHA-256")
messages = [b"%d" % i for i in range(100)]
assert all(key.public_key.verify_many(messages, key.sign_many(messages, pss), pss))
with ThreadPoolExecutor(8) as pool:
    signatures = list(pool.map(lambda message: key.sign(message, pss), messages))
assert all(key.public_key.verify_many(messages, signatures, pss))
print(len(signatures))
""")
    assert signatures == "100"


def test_an_event_loop_has_signatures_and_messages_of_the_daemons_beside_keys_of_its_own(daemon: Path) -> None:
    assert in_process(daemon, """
import asyncio, garner
held, own, pss = garner.HeldKey.named("www"), garner.PrivateKey.generate(1024, below_fips=True), garner.PSS("SHA-256")
oaep = garner.OAEP("SHA-256")
async def main():
    keys = [held, own] * 50
    signatures = await asyncio.gather(*(key.sign_async(b"message", pss) for key in keys))
    for key, signature in zip(keys, signatures):
        key.public_key.verify(b"message", signature, pss)
    secret = held.public_key.encrypt(b"a secret", oaep)
    messages = await asyncio.gather(*(held.decrypt_async(secret, oaep) for _ in range(40)))
    try:
        await held.sign_async(b"message", garner.PKCS1v15("SHA-256"))
    except garner.NotDone as error:
        return set(messages), error
print(*asyncio.run(main()))
""") == "{b'a secret'} device garnerd: not permitted: padding pkcs1v15 with this key"


def test_cryptography_signs_certificates_by_a_held_key_and_gets_nothing_out_of_it(daemon: Path) -> None:
    certificate = in_process(daemon, """
import datetime, garner
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from garner.cryptography import RSAPrivateKey
key = RSAPrivateKey(garner.HeldKey.named("www"))
name, now = x509.Name([]), datetime.datetime(2026, 1, 1)
builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(1))
pss = padding.PSS(padding.MGF1(hashes.SHA256()), 32)
certificate = builder.sign(key, hashes.SHA256(), rsa_padding=pss)
for secret in [key.private_numbers, lambda: key.private_bytes(serialization.Encoding.DER,
               serialization.PrivateFormat.PKCS8, serialization.NoEncryption())]:
    try:
        secret()
    except garner.InvalidKey:
        continue
    raise AssertionError
print(certificate.public_bytes(serialization.Encoding.PEM).decode())
""")
    own = x509.load_pem_x509_certificate(certificate.encode())
    assert own.public_key() == pair(1024).theirs.public_key()
    own.verify_directly_issued_by(own)


def test_what_is_encrypted_for_the_key_is_decrypted_and_what_is_not_is_not(daemon: Path) -> None:
    oaep = garner.OAEP("SHA-256")
    (daemon / "secret").write_bytes(pair(1024).ours.public_key.encrypt(b"a secret", oaep))
    assert in_process(daemon, """
import garner
from pathlib import Path
key, oaep = garner.HeldKey.named("www"), garner.OAEP("SHA-256")
print(key.decrypt(Path("secret").read_bytes(), oaep).decode())
try:
    key.decrypt(bytes(128), oaep)
except garner.DecryptionFailed:
    print("refused")
""") == "a secret\nrefused"


def test_what_the_daemon_refuses_is_told(daemon: Path) -> None:
    said = in_process(daemon, """
import garner
for attempt in [lambda: garner.HeldKey.named("www").sign(b"message", garner.PKCS1v15("SHA-256")),
                lambda: garner.HeldKey.named("none"),
                lambda: garner.HeldKey.named("../www"),
                lambda: garner.HeldKey.named("www").sign(b"short", garner.PSS("SHA-256"), prehashed=True)]:
    try:
        attempt()
    except garner.Error as error:
        print(type(error).__name__, error)
""").splitlines()
    assert said[0] == "NotDone device garnerd: not permitted: padding pkcs1v15 with this key"
    assert said[1] == "NotDone device garnerd: it has no such key, or you may not use it"
    assert said[2].startswith("InvalidArgument name: a key's name has letters")
    assert said[3].startswith("InvalidArgument ")


def test_a_file_that_is_no_stub_is_no_held_key() -> None:
    with pytest.raises(garner.InvalidKey, match="not a stub"):
        garner.HeldKey.from_pem(pair(1024).ours.to_pem())


def test_where_no_daemon_is_it_is_told_where_it_was_looked_for(tmp_path: Path) -> None:
    said = in_process(tmp_path, """
import garner, os
os.environ["GARNER_PATIENCE"] = "0.1"
try:
    garner.HeldKey.named("www")
except garner.NotDone as error:
    print(error)
""")
    assert said.startswith(f"device garnerd: does not answer at {tmp_path / 'socket'}: ")
