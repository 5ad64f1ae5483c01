"""Plays tasks on a `.geas` tree and checks every document that is written, after every step."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from jsonschema import Draft202012Validator

HARDWON, SCHEMAS = sys.argv[1], pathlib.Path(sys.argv[2])
IMPORTER = "Run the importer on the largest sample before handing over"
RETRIES = "Retry failed uploads with a doubled timeout instead of failing at once"


def validators():
    for path in SCHEMAS.glob("*.schema.json"):
        schema = json.loads(path.read_text())
        Draft202012Validator.check_schema(schema)
        yield path.name.removesuffix(".schema.json").replace("-", "_"), Draft202012Validator(schema)


class Play:
    def __init__(self, folder):
        self.tree = folder / ".geas"
        self.folder = folder
        self.day = 1
        self.known = dict(validators())
        self.n_checked = 0

    def hardwon(self, *arguments):
        now = f"2026-04-{self.day:02}T09:00:00Z"
        kept = {"PATH": os.environ["PATH"]}
        env = {**kept, "HARDWON_HOME": str(self.folder / "home"), "HOME": str(self.folder), "HARDWON_NOW": now}
        command = [HARDWON, "--store", "geas:.", "--as-user", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        self.check()
        return done.stdout

    def put(self, name, document):
        path = self.tree / "missions/m1/tasks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document))
        return str(path)

    def retrospect(self, task, *candidates):
        document = {"task_id": task, "memory_candidates": list(candidates)}
        self.hardwon("learn", self.put(f"{task}/retrospective.json", document))

    def applied(self, task, title, status):
        self.day += 1
        self.hardwon("inject", "--run", f"m1/{task}", "--role", "software_engineer")
        contract = {"task_id": task, "title": title, "goal": title, "task_kind": "implementation",
                    "scope": {"surfaces": []}, "status": status}
        self.hardwon("learn", self.put(f"{task}.json", contract))

    def check(self):
        for part in ("memory", "state", "missions/m1/packets"):
            for path in sorted((self.tree / part).rglob("*.json")):
                document = json.loads(path.read_text())
                faults = self.known[document["meta"]["artifact_type"]].iter_errors(document)
                for fault in faults:
                    sys.exit(f"{path}: {fault.json_path}: {fault.message}")
                self.n_checked += 1


def main():
    with tempfile.TemporaryDirectory() as folder:
        play = Play(pathlib.Path(folder))
        play.retrospect("task-001", IMPORTER, RETRIES)
        play.retrospect("task-002", IMPORTER, RETRIES)
        for task in ("task-003", "task-004", "task-005"):
            play.applied(task, "Speed up the importer for a large sample", "passed")
        for task in ("task-006", "task-007"):
            play.applied(task, "Retry failed uploads with a longer timeout", "escalated")
        play.hardwon("geas", "packet", "--task", "task-007", "--agent", "qa_engineer")
        play.hardwon("geas", "evolve")
        assert (play.tree / "missions/m1/packets/task-007/memory-packet.json").is_file()
        play.hardwon("add", "Error messages name the next step.")
        play.hardwon("forget", "mem-stated-1")
        play.hardwon("undo")
        kinds = [path.name for path in sorted((play.tree / "memory").rglob("*.json"))]
        for line in (play.tree / "ledger/events.jsonl").read_text().splitlines():
            event = json.loads(line)
            assert event["event"].startswith("memory_") and event["timestamp"].endswith("Z"), line
        assert any(name.startswith("task-003-mem-") for name in kinds), kinds
        print(f"{play.n_checked} documents of geas are as its schemas say; {len(kinds)} in the end.")


main()
