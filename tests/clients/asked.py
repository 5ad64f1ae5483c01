"""What a model is asked about and what it answers: one run, one lesson that it shows, and one that it
does not.
"""

import json
from pathlib import Path

from play import run

RUN = "build-7"
ERROR = "ERR_PNPM_NO_SCRIPT  Missing script: build"
LESSON = "Look for a missing script in its package, since the workspace root defines no scripts at all"
INVENTED = "Clear the disk before every build of the web package"


class Memory:
    """What somebody types in the same home."""

    def __init__(self, hardwon, environment, work):
        self.hardwon, self.environment, self.work = hardwon, environment, work
        self.data = Path(environment["HOME"]) / ".local/share/hardwon"

    def says(self, *words):
        ran = run([self.hardwon, *words, "--json"], self.environment, self.work)
        assert ran.returncode == 0, f"hardwon {words}: {ran.stdout}{ran.stderr}"
        return json.loads(ran.stdout)

    def learns(self, folder, lines):
        record = folder / "run.jsonl"
        record.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.says("learn", record)


def steps(mentioned):
    """A run that failed, with the path of a file as Claude Code takes it for a wish to read it."""
    step = {"type": "step", "kind": "command", "tool": "bash"}
    return [
        {"type": "run", "id": RUN, "task": f"build the web package as @{mentioned} says", "outcome": "failed"},
        {**step, "action": f"pnpm build @{mentioned} @/etc/hostname", "ok": False, "output": ERROR},
        {**step, "action": "pnpm --filter web build", "ok": True},
    ]


def answer():
    """What the model says, in the form that it is asked for."""
    scope = dict.fromkeys(("tool", "provider", "role", "domain", "phase", "error_class"), "")
    shared = {"category": "tool_usage", "title": "Scripts belong to packages", "description": "", "scope": scope,
              "tags": ["build"], "rule": "IF a script is missing at the root THEN name its package",
              "importance": 0.6, "confidence": 0.7}
    shown = [{"run": RUN, "step": 1, "place": "", "quote": "Missing script: build"}]
    invented = [{"run": RUN, "step": 1, "place": "", "quote": "ENOSPC: no space left on device"}]
    candidates = [{**shared, "text": LESSON, "evidence": shown}, {**shared, "text": INVENTED, "evidence": invented}]
    return {
        "summary": "The build failed at the root and passed with the filter.",
        "worked": ["pnpm --filter web build"],
        "failed": ["pnpm build"],
        "decisions": [],
        "candidates": candidates,
    }
