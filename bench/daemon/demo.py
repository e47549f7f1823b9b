#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An unmodified nginx with eight workers, three times: by OpenSSL alone, with Garner in each worker, and with garnerd.

usage: demo.py BUILD [SECONDS]     BUILD is where cargo left the programs, such as target/release; each way has SECONDS

Prints handshakes a second and the processor time of a handshake, server and daemon together: the medians of three rounds, in which
the ways take turns. Then garnerd is killed with -9 and started again while clients go on: no handshake may fail.
"""

import os
import shutil
import signal
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

CLIENTS, WORKERS, KILLS, ROUNDS = 16, 8, 5, 3
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build, seconds = Path(sys.argv[1]).resolve(), float(sys.argv[2]) if len(sys.argv) == 3 else 5.0
    path = os.environ["PATH"] + ":/usr/sbin"
    for program, where in (("nginx", path), ("openssl", path), ("garner", str(build)), ("garnerd", str(build))):
        if shutil.which(program, path=where) is None:
            print(f"demo.py: there is no {program} in {where}", file=sys.stderr)
            return 3
    os.environ["PATH"] = path
    with tempfile.TemporaryDirectory() as folder:
        return Demo(Path(folder), build).run(seconds)


class Demo:
    def __init__(self, folder: Path, build: Path):
        self.folder, self.build = folder, build
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("OPENSSL", "GARNER"))}
        folder.chmod(0o755)
        (folder / "keys").mkdir(mode=0o700)
        (folder / "modules").mkdir()
        (folder / "modules" / "garner.so").symlink_to(build / "libgarner_provider.so")
        settings = (ROOT / "crates" / "openssl-provider" / "openssl.cnf").read_text()
        # Whatever the processor has: this is to be seen everywhere.
        (folder / "openssl.cnf").write_text(settings + "device = auto\n")
        self.call("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "3",
                  "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
        self.call(str(build / "garner"), "stub", "--name", "www", "key.pem", "--import", "--keys", "keys", "--out", "stub.pem")
        (folder / "garnerd.toml").write_text("")

    def call(self, *command: str) -> None:
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"demo.py: {' '.join(command)}: {done.stderr.strip()}")

    def run(self, seconds: float) -> int:
        print(f"nginx with {WORKERS} workers, TLS 1.3, RSA-2048, {CLIENTS} clients, {os.cpu_count()} processors")
        print(f"{'':26} {'handshakes/s':>13} {'CPU us each':>12}")
        garner = {"OPENSSL_CONF": str(self.folder / "openssl.cnf"), "OPENSSL_MODULES": str(self.folder / "modules"),
                  "GARNER_SOCKET": str(self.folder / "socket")}
        daemon = self.daemon()
        try:
            ways = {"OpenSSL": ("key.pem", {}, None), "Garner in each worker": ("key.pem", garner, None),
                    "garnerd, key outside": ("stub.pem", garner, daemon)}
            # In turn: what else the machine does comes to all alike.
            rounds = [{name: self.round(*way, seconds / ROUNDS) for name, way in ways.items()} for _ in range(ROUNDS)]
            for name in ways:
                rate, spent = (statistics.median(of) for of in zip(*(done[name] for done in rounds)))
                print(f"{name:26} {rate:13.0f} {1e6 * spent:12.0f}", flush=True)
            with self.nginx("stub.pem", garner) as (port, _):
                clients = Clients(port, self.folder / "cert.pem")
                for _ in range(KILLS):
                    time.sleep(seconds / KILLS)
                    daemon.kill()
                    daemon.wait()
                    time.sleep(0.2)
                    daemon = self.daemon()
                done, failed = clients.end()
        finally:
            daemon.terminate()
            daemon.wait()
        print(f"garnerd killed with -9 {KILLS} times: {done} handshakes, {failed} failed")
        return 1 if failed else 0

    def round(self, key: str, environment: dict[str, str], daemon: subprocess.Popen | None,
              seconds: float) -> tuple[float, float]:
        """Handshakes a second, and the seconds of processor time of each."""
        with self.nginx(key, environment) as (port, pids):
            pids = pids + ([daemon.pid] if daemon else [])
            clients = Clients(port, self.folder / "cert.pem")
            time.sleep(0.5)  # until all have begun
            before, start, first = processor_time(pids), time.monotonic(), clients.done
            time.sleep(seconds)
            count, spent = clients.done - first, processor_time(pids) - before
            rate = count / (time.monotonic() - start)
            _, failed = clients.end()
        if failed:
            raise SystemExit(f"demo.py: {failed} handshakes failed")
        return rate, spent / max(count, 1)

    def daemon(self) -> subprocess.Popen:
        process = subprocess.Popen([self.build / "garnerd", "--socket", "socket", "--keys", "keys", "--config", "garnerd.toml"],
                                   cwd=self.folder, env=self.environment, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "listening" in line:
                # What it says later must be taken by somebody.
                threading.Thread(target=process.stderr.read, daemon=True).start()
                return process
        raise SystemExit("demo.py: garnerd does not start")

    def nginx(self, key: str, environment: dict[str, str]) -> "Server":
        return Server(self.folder, key, self.environment | environment)


class Server:
    """nginx, for as long as the block runs; gives its port and its processes."""

    def __init__(self, folder: Path, key: str, environment: dict[str, str]):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        user = "user root;" if os.geteuid() == 0 else ""
        names = " ".join(f"{kind}_temp_path t;" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(
            f"daemon off; {user} worker_processes {WORKERS}; pid nginx.pid; error_log error.log; env OPENSSL_CONF;\n"
            f"env OPENSSL_MODULES; env GARNER_SOCKET; events {{}}\nhttp {{ access_log off; {names}\n"
            f"server {{ listen 127.0.0.1:{self.port} ssl; ssl_certificate cert.pem; ssl_certificate_key {key};\n"
            "ssl_protocols TLSv1.3; ssl_session_tickets off; return 200 fine; } }\n")
        self.process = subprocess.Popen(["nginx", "-p", ".", "-c", "nginx.conf", "-e", "error.log"], cwd=folder, env=environment,
                                        stderr=subprocess.DEVNULL)

    def __enter__(self) -> tuple[int, list[int]]:
        for _ in range(1000):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit("demo.py: nginx does not start") from None
                time.sleep(0.01)
        # It listens before it has its workers.
        children = []
        while len(children) < WORKERS:
            time.sleep(0.01)
            children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return self.port, [self.process.pid, *map(int, children)]

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Clients:
    """Threads that make one connection after the other, and check the server's certificate."""

    def __init__(self, port: int, certificate: Path):
        self.port, self.done, self.failed, self.ending, self.lock = port, 0, 0, False, threading.Lock()
        self.context = ssl.create_default_context(cafile=str(certificate))
        self.threads = [threading.Thread(target=self.work) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def work(self) -> None:
        while not self.ending:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=60) as plain, \
                        self.context.wrap_socket(plain, server_hostname="localhost"):
                    good = True
            except OSError:
                good = False
            with self.lock:
                self.done += good
                self.failed += not good

    def end(self) -> tuple[int, int]:
        self.ending = True
        for thread in self.threads:
            thread.join()
        return self.done, self.failed


def processor_time(pids: list[int]) -> float:
    """Seconds of these processes, all their threads."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
