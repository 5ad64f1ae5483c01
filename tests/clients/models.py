"""Lets `hardwon reflect` ask the real Claude Code and the real Codex about a run, where the model
behind them follows a script: one lesson that the run shows, and one that it does not. The program
must be asked without a key that is paid by the token, without our hooks and without tools, must not
open a file that the run names, and must leave no session behind.

Usage: python3 models.py PATH_OF_HARDWON FOLDER_OF_THE_HOSTS FOLDER_FOR_REQUESTS
"""

import json
import tempfile
import time
from pathlib import Path

from asked import INVENTED, LESSON, RUN, Memory, answer, steps
from play import KEPT, PROGRAMS, bring_up_loopback, programs_in
from hosts import HOSTS
from model import OBJECT_TOOL, Model
from stage import MACHINE, installed, prepared, program, run

# What each is asked as, and the name by which `install` knows it.
BACKENDS = {"claude-code": ("claude-cli", "claude"), "codex": ("codex-cli", "codex")}
# It would be paid by the token, and belongs to nobody here.
PAID_KEY = "key-that-is-paid-by-the-token"
LOGIN = "login-of-the-user"
# What a file says that a step of the run mentions.
UNREAD = "the words of a file that nobody asked for"


def main():
    bring_up_loopback()
    for host in (host for host in HOSTS if host.name in BACKENDS and not host.mode):
        version = installed(PROGRAMS, host)
        if version is None:
            assert MACHINE not in host.must_run_on, f"{host.name} must run on {MACHINE} and does not"
            print(f"{host.name}: NOT TRIED")
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hardwon-models-", ignore_cleanup_errors=True) as folder:
            asks(host, Path(folder))
        print(f"{host.name}: {version} answers as a model, {time.monotonic() - began:.0f} s", flush=True)
    print("tests/clients/models.py: ok")


def asks(host, folder):
    backend, name = BACKENDS[host.name]
    model = Model([], answer())
    try:
        environment, _, work = prepared(host, folder, model.url)
        programs = programs_in(folder, environment)
        (programs / name).write_text(wrapper(host, model.url))
        (programs / name).chmod(0o755)
        environment |= {"ANTHROPIC_AUTH_TOKEN": LOGIN, "SCRIPTED_LOGIN": LOGIN}
        environment |= dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CODEX_API_KEY"), PAID_KEY)
        memory = Memory(programs / "hardwon", environment, work)
        mentioned = folder / "mentioned.txt"
        mentioned.write_text(UNREAD)
        # Its hooks would be called if they were not switched off.
        memory.says("install", name)
        memory.learns(folder, steps(mentioned))
        before = sessions(environment)
        told = memory.says("reflect", "--run", RUN, "--backend", backend)
        kept = KEPT / f"{backend}.jsonl"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text("".join(json.dumps(request) + "\n" for request in model.requests))
        is_judged(told, memory, backend)
        is_modest(model, mentioned, kept)
        assert sessions(environment) == before, f"{name} left {sessions(environment)}"
        assert not list(memory.data.glob("queue/[!.]*.json")), f"the hooks of {name} were called"
        runs = [one["id"] for one in memory.says("list", "runs")["runs"]]
        assert runs == [RUN], f"the question became a run: {runs}"
        # The same evidence is asked once.
        n_requests = len(model.requests)
        again = memory.says("reflect", "--run", RUN, "--backend", backend)
        assert again["asked"][0]["outcome"] == "known" and len(model.requests) == n_requests, again["asked"]
    finally:
        model.stop()


def wrapper(host, url):
    """The program on PATH. Codex is asked without its user's settings, so that it has to be told
    elsewhere whom to ask."""
    real = program(PROGRAMS, host).resolve()
    if host.name != "codex":
        return f'#!/bin/sh\nexec "{real}" "$@"\n'
    provider = f'{{name="s",base_url="{url}/v1",env_key="SCRIPTED_LOGIN",wire_api="responses"'
    provider += ",request_max_retries=0,stream_max_retries=0}"
    settings = f"-c model_provider=scripted -c 'model_providers.scripted={provider}'"
    return f'#!/bin/sh\nshift\nexec "{real}" exec {settings} "$@"\n'


def is_judged(told, memory, backend):
    """One lesson waits, the other is told as a problem, and the question is on the bill."""
    asked = told["asked"]
    assert [one["outcome"] for one in asked] == ["answered"] and asked[0]["backend"] == backend, asked
    lessons = memory.says("list", "--all")["lessons"]
    states = {one["text"]: one["state"] for one in lessons}
    assert states.get(LESSON) == "candidate" and INVENTED not in states, states
    assert any("quot" in one["reason"] for one in told["problems"]), told["problems"]
    row = memory.says("report", "--costs", "--by", "backend")["rows"][0]
    assert row["name"].startswith(backend) and (row["n_asked"], row["n_answered"]) == (1, 1), row
    assert row["cost"]["tokens_in"] > 0 and row["cost"]["usd"] == 0, row


def is_modest(model, mentioned, kept):
    """What was sent: the record of the run, by the user's login, and nothing else."""
    sent = kept.read_text()
    assert "Missing script: build" in sent and mentioned.name in sent, f"not told of the run, see {kept}"
    assert UNREAD not in sent, f"a file that the run mentions was sent, see {kept}"
    assert model.keys == {f"Bearer {LOGIN}"}, model.keys
    offered = {tool.get("name") for request in model.requests for tool in request.get("tools") or []}
    assert offered <= {OBJECT_TOOL, "DeferredToolPlaceholder"}, f"{offered} were offered, see {kept}"


def sessions(environment):
    """What the hosts would continue, and `hardwon` would read."""
    folders = [Path(environment["HOME"]) / folder for folder in (".claude/projects", ".codex/sessions")]
    return sorted(str(path) for folder in folders for path in folder.rglob("*.jsonl"))


main()
