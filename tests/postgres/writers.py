"""Writers that work while something happens to their server, and a connection that can be cut.

For tests/postgres/faults: who was told that a lesson is written finds it there, once.
"""

import json
import socket
import threading
import time
from collections import Counter

from servers import Machine


class Writers:
    """Several machines, each adding one lesson after the other until it is enough."""

    def __init__(self, hardwon, store, n_writers=8):
        self.machines = [Machine(hardwon, store) for _ in range(n_writers)]
        self.acknowledged, self.failed, self.lock = [], {}, threading.Lock()
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=it) for it in enumerate(self.machines)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()
        for machine in self.machines:
            machine.remove()

    def write(self, writer, machine):
        n = 0
        while not self.is_over.is_set():
            n += 1
            text = text_of(writer, n)
            done = machine.add(text)
            with self.lock:
                if done.code == 0:
                    self.acknowledged.append(text)
                else:
                    self.failed[text] = done
            if done.code:
                # As somebody would who is told to try again.
                time.sleep(0.2)

    def n_done(self):
        with self.lock:
            return len(self.acknowledged)


def text_of(writer, n):
    """Words that no other lesson has."""
    return f"Keep q{writer}x{n}a before z{writer}y{n}b in v{writer}u{n}c"


def long_record():
    """A run with so much to write that no server does it in a millisecond."""
    lines = [{"type": "run", "id": "long", "detectors": ["guardian"], "outcome": "failed"}]
    lines += [{"type": "finding", "author": "guardian", "severity": "bug", "category": "security",
               "text": text_of(7, n), "path": f"src/{n}.rs", "line": n, "state": "open"} for n in range(1, 200)]
    return "".join(json.dumps(line) + "\n" for line in lines)


def texts_in(machine):
    listed = machine.run("list", "--all", "--json")
    assert listed.code == 0, listed
    return Counter(it["text"] for it in json.loads(listed.out)["lessons"])


def check(machine, acknowledged, failed):
    """Every acknowledged lesson is there once, every other at most once, and the store is sound."""
    there = texts_in(machine)
    lost = [it for it in acknowledged if it not in there]
    assert not lost, f"{len(lost)} of {len(acknowledged)} acknowledged lessons are lost: {lost[0][:80]}"
    twice = [it for it, n in there.items() if n > 1]
    assert not twice, f"written twice: {twice[0][:80]}"
    strange = [it for it in there if it not in failed and it not in acknowledged]
    assert not strange, f"nobody wrote {strange[0][:80]}"
    for done in failed.values():
        assert done.code == 3 and "postgres://" in done.err, done
    doctor = machine.run("doctor")
    assert doctor.code == 0, doctor


class Proxy:
    """Stands between the program and the server. `on_commit` is called before COMMIT is passed on;
    what it gives says what becomes of it: `pass`, `lose` (COMMIT is not passed on, and the connection
    is cut) or `deafen` (it is passed on, and the connection is cut before the answer)."""

    def __init__(self, port):
        self.server_port, self.on_commit = port, lambda: "pass"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def serve(self, near):
        with near:
            try:
                far = socket.create_connection(("127.0.0.1", self.server_port))
            except OSError:
                return
            with far:
                is_deaf = threading.Event()
                back = threading.Thread(target=self.pass_back, args=(far, near, is_deaf), daemon=True)
                back.start()
                self.pass_on(near, far, is_deaf)
                back.join(5)

    def pass_on(self, near, far, is_deaf):
        while given := receive(near):
            fate = self.on_commit() if b"COMMIT\0" in given else "pass"
            if fate == "lose":
                shut(near)
                shut(far)
                return
            if fate == "deafen":
                is_deaf.set()
            try:
                far.sendall(given)
            except OSError:
                break
        shut(far)

    def pass_back(self, far, near, is_deaf):
        while given := receive(far):
            if is_deaf.is_set():
                break
            try:
                near.sendall(given)
            except OSError:
                break
        shut(near)

    def close(self):
        self.listener.close()


def receive(one):
    try:
        return one.recv(65536)
    except OSError:
        return b""


def shut(one):
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
