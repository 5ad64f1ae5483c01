"""Plays the agents and the skill of the plugin with Claude Code. What a page says must reach the
model, every command on it that needs no word of its reader must run in the client's own shell, and
their answers must name the note that does not hold any more and the rule that a person taught.
Nothing of it may change a note.

Usage: python3 pages.py PATH_OF_HARDWON FOLDER_OF_THE_HOSTS FOLDER_FOR_REQUESTS
"""

import json
import re
import subprocess
import tempfile
import time
from pathlib import Path

from play import HARDWON, KEPT, PROGRAMS, bring_up_loopback, programs_in
from hosts import HOSTS, TASK
from model import Model
from stage import MACHINE, installed, prepared, program, run

PLUGIN = Path(__file__).resolve().parent.parent.parent

RULE = "Never squash the commits of a release branch."

# A page, how the client is told to play it, and what the commands on it must have answered.
PAGES = [
    ("agents/memory-auditor.md", ["--agent", "hardwon:memory-auditor"], TASK, ["STALE"]),
    ("skills/extract-learnings/SKILL.md", [], "/hardwon:extract-learnings", ["STALE", RULE]),
]
NOTE = """---
name: Login
description: where old clients log in
type: project
---

Deploys go through the gateway. Old clients go through `legacy.rs` first.
"""


def main():
    bring_up_loopback()
    host = next(host for host in HOSTS if host.name == "claude-code" and not host.mode)
    if installed(PROGRAMS, host) is None:
        assert MACHINE not in host.must_run_on, f"{host.name} must run on {MACHINE} and does not"
        return print("tests/clients/pages.py: NOT TRIED")
    for page, arguments, prompt, expected in PAGES:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hardwon-pages-", ignore_cleanup_errors=True) as folder:
            play(host, Path(folder), page, arguments, prompt, expected)
        print(f"{page}: played, {time.monotonic() - began:.0f} s", flush=True)


def play(host, folder, page, arguments, prompt, expected):
    commands = commands_on(page)
    model = Model(commands)
    try:
        environment, own, work = prepared(host, folder, model.url)
        programs_in(folder, environment)
        notes = remembered(environment, work)
        before = {file.name: file.read_bytes() for file in notes.iterdir()}
        own = [prompt if word == TASK else word for word in own]
        ran = run([program(PROGRAMS, host), *own, "--plugin-dir", PLUGIN, *arguments], environment, work)
        asked = [json.dumps(request, ensure_ascii=False) for request in model.requests]
        kept = KEPT / f"{Path(page).parts[-2]}-{Path(page).stem}.jsonl"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text("".join(text + "\n" for text in asked))
        assert ran.returncode == 0, f"{page}: ended with {ran.returncode}\n{ran.stdout}{ran.stderr}"
        assert any(first_sentence(page) in text for text in asked), f"{page}: did not reach the model, see {kept}"
        got = len(model.results)
        assert got == len(commands), f"{page}: {got} of {len(commands)} commands were run, see {kept}"
        answers = json.dumps(model.results, ensure_ascii=False)
        missing = [word for word in expected if word not in answers]
        assert not missing, f"{page}: no answer has {missing}, see {kept}"
        after = {file.name: file.read_bytes() for file in notes.iterdir()}
        assert after == before, f"{page}: the notes are not as they were"
    finally:
        model.stop()


def commands_on(page):
    """The calls about notes on a page that name nothing in capitals, in their order."""
    quoted = re.findall(r"`(hardwon jkz [a-z -]+)`", (PLUGIN / page).read_text())
    return list(dict.fromkeys(quoted))


def first_sentence(page):
    """Of the text below the head and the title."""
    lines = (PLUGIN / page).read_text().split("---\n", 2)[2].splitlines()
    return next(line for line in lines if line and not line.startswith("#")).split(". ")[0]


def remembered(environment, work):
    """A note that was true once, and what a person taught."""
    commit = ["git", "-c", "user.name=you", "-c", "user.email=you@example.com", "commit", "--quiet", "--all", "-m"]
    login = work / "legacy.rs"
    login.write_text("fn log_in() {}\n")
    subprocess.run(["git", "add", login.name], cwd=work, check=True)
    subprocess.run([*commit, "log in"], cwd=work, check=True)
    login.unlink()
    subprocess.run([*commit, "open sessions"], cwd=work, check=True)
    key = re.sub(r"[^A-Za-z0-9]", "-", str(work.resolve()))
    notes = Path(environment["HOME"]) / ".claude" / "projects" / key / "memory"
    notes.mkdir(parents=True)
    (notes / "project_login.md").write_text(NOTE)
    (notes / "MEMORY.md").write_text("- [Login](project_login.md) — where old clients log in\n")
    subprocess.run([HARDWON.resolve(), "--as-user", "add", RULE], cwd=work, env=environment, check=True)
    return notes


main()
