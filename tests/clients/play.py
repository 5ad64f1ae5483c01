"""Plays three sessions with each host: in the first two the model makes a mistake and repairs it, in
the third it makes the mistake again. What the host then sends to the model must name the repair: at
the start, and again after the failure. Nobody types anything but `hardwon install`.

Usage: python3 play.py PATH_OF_HARDWON FOLDER_OF_THE_HOSTS FOLDER_FOR_REQUESTS [HOST]
"""

import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "hosts"))
from hosts import HOSTS, TASK
from model import Model
from stage import MACHINE, installed, prepared, program, run

HARDWON, PROGRAMS, KEPT = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
ONLY = sys.argv[4:]

# What the model does, and what it must be told: the words of a line that a user would have written.
MISTAKE = "npm test"
REPAIR = "pnpm test"
EXPECTED = "Use `pnpm test`"
# What these programs print, as the real ones do.
STUBS = {
    "npm": "echo 'npm error Missing script: \"test\"' >&2; exit 1",
    "pnpm": "echo '3 passed'",
}

# What each host needs beside its task, and what stands for a click of the user: Codex runs hooks
# only after somebody opened /hooks and trusted them.
CLIENTS = {"claude-code": ("claude", []), "codex": ("codex", ["--dangerously-bypass-hook-trust"])}

# How the latest session is taken up again: what stands before its prompt, and behind it.
FORKS = {
    "claude-code": [([], ["--continue"]), ([], ["--continue", "--fork-session"]), ([], ["--continue", "--fork-session"])],
    "codex": [(["resume", "--last"], []), (["fork", "SESSION"], []), (["fork", "SESSION"], [])],
}

# Not a promise about speed: a worker that hangs would be waited for without end.
PATIENCE = 90


def main():
    bring_up_loopback()
    clients = [host for host in HOSTS if host.name in (ONLY or CLIENTS) and not host.mode]
    for host in clients:
        print(f"{host.name}: {tries(host)}", flush=True)
    print(f"tests/clients/play.py: ok, {len(clients)} hosts")


def bring_up_loopback():
    """In a network of its own loopback is down at first. Anywhere else it is up, and this changes
    nothing."""
    if not sys.platform.startswith("linux"):
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        flags = struct.unpack("16sh", fcntl.ioctl(any_socket, 0x8913, struct.pack("16sh", b"lo", 0)))[1]
        if not flags & 1:
            fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", flags | 1))


def tries(host):
    version = installed(PROGRAMS, host)
    if version is None:
        assert MACHINE not in host.must_run_on, f"{host.name} must run on {MACHINE} and does not"
        return "NOT TRIED"
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hardwon-clients-", ignore_cleanup_errors=True) as folder:
        outside = plays(host, Path(folder))
    told = f"{version} is told what two sessions taught, {time.monotonic() - began:.0f} s"
    return told + (f"; it was refused the way to {', '.join(sorted(outside))}" if outside else "")


def plays(host, folder):
    """The addresses that the host asked for and did not get."""
    model = Model([])
    environment, arguments, work = prepared(host, folder, model.url)
    programs = programs_in(folder, environment)
    name, trust = CLIENTS[host.name]
    command = [program(PROGRAMS, host), *arguments[:1], *trust, *arguments[1:]]
    sessions = Sessions(host, model, command, environment, work)
    try:
        install = run([programs / "hardwon", "install", name], environment, work)
        assert install.returncode == 0, f"{install.stdout}{install.stderr}"
        for number in (1, 2):
            if number == 2 and not ONLY:
                is_counted_once(sessions, FORKS[host.name])
            sessions.play(number, [MISTAKE, REPAIR])
            sessions.wait_for_worker()
        sessions.play(3, [MISTAKE])
        is_told(model.requests)
        if host.name == "claude-code":
            is_told_after_compaction(sessions)
    except (AssertionError, OSError):
        sessions.tell()
        raise
    finally:
        model.stop()
        for worker in workers(environment):
            os.kill(worker, signal.SIGTERM)
    return model.outside


def programs_in(folder, environment):
    """A folder on PATH with the program and the stubs, also for login shells."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "hardwon").symlink_to(HARDWON)
    for name, script in STUBS.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    environment["PATH"] = f"{programs}:{environment['PATH']}"
    (Path(environment["HOME"]) / ".profile").write_text(f'PATH="{programs}:$PATH"\n')
    return programs


class Sessions:
    """One host that is started again and again in the same home."""

    def __init__(self, host, model, command, environment, work):
        self.host, self.model, self.command = host, model, command
        self.environment, self.work = environment, work
        self.data = Path(environment["HOME"]) / ".local/share/hardwon"
        self.ran = None

    def play(self, number, commands):
        self.model.rehearse(commands)
        self.ran = run(self.command, self.environment, self.work)
        self.keep(number)
        got = len(self.model.results)
        assert got == len(commands), f"session {number}: the model got {got} of {len(commands)} results"

    def go_on(self, number, prompt, before=(), behind=("--continue",)):
        """The latest session, with another prompt."""
        self.model.rehearse([])
        at = self.command.index(TASK)
        command = [*self.command[:at], *before, prompt, *self.command[at + 1 :], *behind]
        self.ran = run(command, self.environment, self.work)
        self.keep(number)
        return [json.dumps(request, ensure_ascii=False) for request in self.model.requests]

    def keep(self, number):
        KEPT.mkdir(parents=True, exist_ok=True)
        kept = KEPT / f"{self.host.name}-{number}.jsonl"
        kept.write_text("".join(json.dumps(request) + "\n" for request in self.model.requests))
        assert self.ran.returncode == 0, f"session {number} ended with {self.ran.returncode}"

    def wait_for_worker(self):
        """Until nothing waits to be read and nobody reads."""
        give_up_at = time.monotonic() + PATIENCE
        while self.waiting() or workers(self.environment):
            assert time.monotonic() < give_up_at, f"after {PATIENCE} s there is {self.waiting()}"
            time.sleep(0.05)

    def waiting(self):
        return [path.name for path in self.data.glob("queue/[!.]*.json")]

    def tell(self):
        """What there is to find the fault with."""
        said = f"{self.ran.stdout[-2000:]}\n{self.ran.stderr[-2000:]}" if self.ran else ""
        print(f"{self.host.name} FAILED\n{said}", file=sys.stderr)
        for arguments in (["list", "--all"], ["doctor", "--agents"]):
            ran = run([HARDWON, *arguments], self.environment, self.work)
            print(f"$ hardwon {' '.join(arguments)}\n{ran.stdout}{ran.stderr}", file=sys.stderr)
        print(f"all that the host sent to its model is in {KEPT}", file=sys.stderr)


def workers(environment):
    """The workers of this home, by their ids: their environment names it."""
    home = f"HOME={environment['HOME']}"
    if Path("/proc/self/environ").exists():
        texts = {int(path.name): described(path) for path in Path("/proc").glob("[0-9]*")}
    else:
        lines = subprocess.run(["ps", "axeww", "-o", "pid=,command="], capture_output=True, text=True).stdout
        texts = {int(line.split()[0]): line.split()[1:] for line in lines.splitlines()}
    return [number for number, words in texts.items() if home in words and "worker" in words[:3]]


def described(process):
    """The words of its command, and its environment."""
    try:
        return [text for name in ("cmdline", "environ") for text in (process / name).read_text().split("\0")]
    except (OSError, UnicodeDecodeError):
        return []


def is_told(requests):
    """The first request of a session that has tools carries what was said at the start; the one
    with the result of the mistake carries it once more."""
    asked = [json.dumps(request, ensure_ascii=False) for request in requests if request.get("tools")]
    told = [text.count(EXPECTED) for text in asked]
    assert told and told[0] > 0, f"not told at the start: {told}"
    assert told[-1] > told[0], f"not told at the failure: {told}"


def is_counted_once(sessions, forks):
    """One failure stays one, however often its session is taken up, forked and compacted."""
    for number, (before, behind) in enumerate(forks):
        rollouts = sorted(Path(sessions.environment["HOME"]).glob(".codex/sessions/**/rollout-*.jsonl"))
        before = [rollouts[0].stem[-36:] if word == "SESSION" else word for word in before]
        sessions.go_on(f"again-{number}", "Go on.", before, behind)
        sessions.wait_for_worker()
    if sessions.host.name == "claude-code":
        sessions.go_on("compacted-early", "/compact")
        sessions.wait_for_worker()
    listed = run([HARDWON, "list", "--all", "--json"], sessions.environment, sessions.work)
    lessons = json.loads(listed.stdout)["lessons"]
    seen = [(lesson["state"], lesson["sightings"]) for lesson in lessons]
    assert seen == [("candidate", 1)], f"one failure is told as {seen}"


def is_told_after_compaction(sessions):
    """The host takes the context away; what the session was about comes back with its lessons."""
    before = set(sessions.data.glob("snapshots/*.json"))
    sessions.go_on("compacts", "/compact")
    left = set(sessions.data.glob("snapshots/*.json")) - before
    assert len(left) == 1, f"the compaction left {left}"
    asked = sessions.go_on("compacted", "Go on.")
    told = [text for text in asked if "Before the compaction" in text and EXPECTED in text]
    assert told and TASK in told[0], "not told what it was about after the compaction"


if __name__ == "__main__":
    main()
