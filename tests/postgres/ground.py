"""What the faults of tests/postgres/faults have in common: where their servers lie, who uses them, and
what is expected of every command.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from servers import Cluster, Machine

hardwon, programs = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
# In memory, where there is room for it: a server that starts after a crash syncs every file it has.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
ground = Path(tempfile.mkdtemp(prefix="hardwon-faults.", dir=MEMORY))
DURABLE = ("fsync=on", "synchronous_commit=on", "max_connections=60")
QUICK = ("fsync=off", "max_connections=60")


STORE_FAILED, DOCTOR_FOUND = 3, 1


class Place:
    """A cluster and machines, which are gone after a fault."""

    def __init__(self, name, *options):
        self.cluster = Cluster.make(programs, ground / name, *options)
        self.machines = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for machine in self.machines:
            machine.remove()
        self.cluster.remove()

    def machine(self, store=None, project="shop"):
        self.machines.append(Machine(hardwon, store or self.cluster.url(), project))
        return self.machines[-1]

    def keeper(self):
        return self.machine(self.cluster.url("keeper"))


def refused(done, *words, within=15, code=STORE_FAILED):
    """Ended with these words, never with a password, and soon."""
    told = " ".join((done.out + done.err).split())
    assert done.code == code, done
    assert all(word in told for word in words), f"{words} is not told: {done}"
    assert "hunter2" not in told, f"the password is told: {done}"
    assert done.seconds < within, done


def answers_without_memory(machine):
    """What agents call goes on, whatever is wrong with the store."""
    block = machine.run("inject", "--run", "r1", "--text", "order search")
    assert block.code == 0 and block.out.strip() == "", block
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(machine.home), "prompt": "hello"}
    hook = machine.run("hook", "claude", given=json.dumps(event))
    assert hook.code == 0, hook
    assert "hunter2" not in block.err + hook.out + hook.err, "the password is told"


def answers_with_memory(machine):
    block = machine.run("inject", "--run", "r1", "--text", "what to keep")
    assert block.code == 0 and "Keep q" in block.out, block


def check_counts(cluster, n_lessons):
    """Neither more nor fewer, and none without its entry in the journal."""
    sql = "SELECT (SELECT count(*) FROM hardwon.lessons), (SELECT count(*) FROM hardwon.journal WHERE is_addition)"
    assert cluster.sql(sql) == [[str(n_lessons)] * 2], cluster.sql(sql)
