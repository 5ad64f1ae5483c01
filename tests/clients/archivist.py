"""Plays the plugin's Archivist with Claude Code: it reads a run, asks memory what it knows, and hands
in one lesson that the run shows and one that it does not. In a session with other work the
Archivist's tools must not be loaded.

Usage: python3 archivist.py PATH_OF_HARDWON FOLDER_OF_THE_HOSTS FOLDER_FOR_REQUESTS
"""

import json
import tempfile
import time
from pathlib import Path

from asked import INVENTED, LESSON, RUN, Memory, answer, steps
from play import KEPT, PROGRAMS, bring_up_loopback, programs_in
from hosts import HOSTS
from model import Model
from stage import MACHINE, installed, prepared, program, run

PLUGIN = Path(__file__).resolve().parent.parent.parent
PREFIX = "mcp__plugin_hardwon_archivist__"
TOOLS = {"Bash"} | {PREFIX + name for name in (
    "lessons_for", "memory_create_candidate_lessons", "memory_score_importance", "memory_detect_duplicates",
    "memory_merge", "submit_reflection",
)}


def script():
    """What the page says, in its order."""
    texts = {"texts": [LESSON, INVENTED]}
    told = answer()
    for candidate in told["candidates"]:
        candidate["cited"] = candidate.pop("evidence")
    return [
        f"hardwon reflect --run {RUN} --print-prompt",
        (PREFIX + "memory_detect_duplicates", texts),
        (PREFIX + "memory_score_importance", texts),
        (PREFIX + "memory_create_candidate_lessons", {"run": RUN, **told}),
    ]


def main():
    bring_up_loopback()
    host = next(host for host in HOSTS if host.name == "claude-code" and not host.mode)
    if installed(PROGRAMS, host) is None:
        assert MACHINE not in host.must_run_on, f"{host.name} must run on {MACHINE} and does not"
        return print("tests/clients/archivist.py: NOT TRIED")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hardwon-archivist-", ignore_cleanup_errors=True) as folder:
        play(host, Path(folder))
    print(f"agents/archivist.md: played, {time.monotonic() - began:.0f} s", flush=True)


def play(host, folder):
    model = Model(script())
    try:
        environment, own, work = prepared(host, folder, model.url)
        memory = Memory(programs_in(folder, environment) / "hardwon", environment, work)
        memory.learns(folder, steps(folder / "any.txt"))
        command = [program(PROGRAMS, host), *own, "--plugin-dir", PLUGIN]
        ran = run([*command, "--agent", "hardwon:archivist"], environment, work)
        kept = KEPT / "agents-archivist.jsonl"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text("".join(json.dumps(request) + "\n" for request in model.requests))
        assert ran.returncode == 0, f"ended with {ran.returncode}\n{ran.stdout}{ran.stderr}"
        offered = offered_in(model)
        assert offered == TOOLS, f"it was offered {offered}"
        is_played(model.results, memory, kept)
        model.rehearse([])
        run(command, environment, work)
        loaded = {name for name in offered_in(model) if name.startswith(PREFIX)}
        assert model.requests and not loaded, f"a session with other work has {loaded}"
    finally:
        model.stop()


def offered_in(model):
    return {tool.get("name") for request in model.requests for tool in request.get("tools") or []}


def is_played(results, memory, kept):
    """Every step was answered, and memory has the lesson that the run shows."""
    assert len(results) == len(script()), f"{len(results)} of {len(script())} steps, see {kept}"
    prompt, standings, scores, judged = (json.dumps(result) for result in results)
    assert "Missing script: build" in prompt, f"the run was not printed, see {kept}"
    assert "1: new" in standings and "1: 0.5" in scores, f"{standings} {scores}"
    assert "1 of 2 kept" in judged and "2: refused: " in judged, judged
    lessons = {one["text"]: one for one in memory.says("list", "--all")["lessons"]}
    assert INVENTED not in lessons, lessons
    lesson = lessons[LESSON]
    assert (lesson["state"], lesson["origin"], lesson["trust"]) == ("candidate", "agent", "claimed"), lesson


main()
