"""An agent plays the Archivist with `hardwon mcp --tools archivist`, by the Python SDK's client: it
looks back on a run that was learned, and hands in what it shows.

Usage: python3 archivist.py PATH_OF_HARDWON
"""

import asyncio
import json
import os
import tempfile

from conversation import HARDWON, hardwon, refused, said
from mcp import ClientSession, StdioServerParameters, stdio_client

# In the order in which they are listed.
TOOLS = [
    "lessons_for",
    "memory_create_candidate_lessons",
    "memory_score_importance",
    "memory_detect_duplicates",
    "memory_merge",
    "submit_reflection",
]
RULE = "Use pnpm for installing packages in this repository"
OPPOSITE = "Do not use pnpm for installing packages in this repository"
MORE = "Install packages with pnpm and a frozen lockfile in the continuous integration of the web client"
# Beside them in memory, about something else.
OTHERS = [
    "Run the schema generator before committing changes to wire structs",
    "Avoid mocking the clock in scheduler tests",
    "Keep the changelog in the words of those who use the program",
]
OTHER = "Rotate the signing certificate before tagging a release"
ERROR = "ERR_PNPM_NO_SCRIPT  Missing script: build"
LESSON = "Look for a missing script in its package, since the workspace root defines no scripts at all"
SAME = "Read the manifest of the web client before calling pnpm, to see what can be called"
RUN = [
    {"type": "run", "id": "build-7", "task": "build the web package", "outcome": "failed"},
    {"type": "step", "kind": "command", "tool": "bash", "action": "pnpm build", "ok": False, "output": ERROR},
    {"type": "step", "kind": "command", "tool": "bash", "action": "pnpm --filter web build", "ok": True},
]


async def introduces_itself(session):
    begun = await session.initialize()
    assert begun.server_info.name == "hardwon"
    listed = (await session.list_tools()).tools
    assert [tool.name for tool in listed] == TOOLS
    # No host has to load them into a session that does other work.
    assert not any(tool.meta for tool in listed), listed
    looks = {tool.name for tool in listed if tool.annotations.read_only_hint}
    assert looks == {"lessons_for", "memory_score_importance", "memory_detect_duplicates"}, looks


async def compares(session, rule):
    """How texts stand to the lessons that are known; asking changes nothing."""
    texts = [RULE, OPPOSITE, MORE, OTHER, "Be careful"]
    standings = (await said(session, "memory_detect_duplicates", texts=texts))["standings"]
    expected = [f"same as {rule}", f"contradicts {rule}", f"extends {rule}", "new"]
    assert standings[:4] == expected, standings
    assert standings[4].startswith("no lesson: "), standings
    await refused(session, "memory_detect_duplicates", texts=[])
    await refused(session, "memory_detect_duplicates", texts=[RULE] * 6)


async def scores(session, rule):
    """What gave trouble in a run counts for more, and what is said already for less."""
    texts = [LESSON, OTHER, RULE]
    trouble, new, known = (await said(session, "memory_score_importance", texts=texts))["scores"]
    assert trouble["importance"] > new["importance"] > known["importance"], (trouble, new, known)
    assert any("1 of the last runs" in reason for reason in trouble["reasons"]), trouble
    assert any(rule in reason for reason in known["reasons"]), known


def candidate(text, quote):
    return {
        "text": text,
        "cited": [{"step": 1, "quote": quote}],
        "category": "tool_usage",
        "title": "Scripts belong to packages",
        "rule": "IF a script is missing at the root THEN name its package",
        "description": "",
        "scope": {"tool": "pnpm"},
        "tags": ["build"],
        "importance": 0.6,
        "confidence": 0.7,
    }


async def hands_in(session):
    """One lesson whose evidence stands in the run, one whose quotation is invented."""
    invented = candidate("Delete node_modules before every build of the web package", "ENOSPC: disk full")
    judged = await said(
        session,
        "memory_create_candidate_lessons",
        run="build-7",
        summary="The build failed at the root and passed with the filter.",
        worked=["pnpm --filter web build"],
        failed=["pnpm build"],
        decisions=[],
        candidates=[candidate(LESSON, "Missing script: build"), invented],
    )
    kept, refused_one = judged["candidates"]
    assert kept["accepted"] and kept["lesson"], judged
    assert not refused_one["accepted"] and not refused_one["lesson"], judged
    assert "quot" in refused_one["reason"], judged
    assert judged["n_accepted"] == 1 and judged["status"] == "degraded", judged
    # The run's own steps decide, whatever the tool and the argument are called.
    invented["evidence"] = invented.pop("cited")
    again = await said(session, "submit_reflection", run="build-7", candidates=[invented])
    assert again["n_accepted"] == 0, again
    return kept["lesson"]


async def proposes_a_merge(session, environment, lesson):
    """It is noted once, with its reason; nothing is merged."""
    nearly = {"title": "Read the manifest first", "rule": "IF pnpm is called THEN read the manifest before"}
    candidates = [candidate(SAME, "ERR_PNPM_NO_SCRIPT") | nearly]
    judged = await said(session, "memory_create_candidate_lessons", run="build-7", candidates=candidates)
    other = judged["candidates"][0]["lesson"]
    assert other not in (None, lesson), judged
    because = "both say where scripts are defined"
    for _ in range(2):
        noted = await said(session, "memory_merge", lesson=other, into=lesson, because=because)
        assert noted["lessons"] == [other, lesson] and noted["reason"] == because, noted
    await refused(session, "memory_merge", lesson=other, into=other, because=because)
    await refused(session, "memory_merge", lesson="l-nothing", into=lesson, because=because)
    await refused(session, "memory_merge", lesson=other, into=lesson, because=" ")
    proposed = json.dumps(hardwon(environment, "review", "merges", "--proposed"))
    for expected in (other, lesson, because):
        assert expected in proposed, proposed
    for one in (other, lesson):
        assert because in json.dumps(hardwon(environment, "why", one)), f"why {one} does not tell it"


def is_remembered(environment, lesson):
    """The lesson waits as a candidate; the account is kept with the run."""
    lessons = {one["id"]: one for one in hardwon(environment, "list", "--all")["lessons"]}
    assert lessons[lesson]["state"] == "candidate", lessons[lesson]
    assert not any("node_modules" in one["text"] for one in lessons.values()), lessons
    shown = json.dumps(hardwon(environment, "show", "build-7"))
    assert "passed with the filter" in shown, shown


async def main():
    with tempfile.TemporaryDirectory() as home:
        environment = {
            "PATH": os.environ["PATH"],
            "HARDWON_HOME": home,
            "HARDWON_PROJECT": "demo",
            "HARDWON_HOLDOUT": "0",
        }
        rule, *_ = (hardwon(environment, "--as-user", "add", text)["lesson"]["id"] for text in [RULE, *OTHERS])
        hardwon(environment, "learn", "-", record="\n".join(map(json.dumps, RUN)))
        server = StdioServerParameters(command=HARDWON, args=["mcp", "--tools", "archivist"], env=environment)
        async with stdio_client(server) as (read, write):
            async with ClientSession(read, write, read_timeout_seconds=60) as session:
                await introduces_itself(session)
                await compares(session, rule)
                await scores(session, rule)
                lesson = await hands_in(session)
                await proposes_a_merge(session, environment, lesson)
        is_remembered(environment, lesson)
    print("tests/mcp/archivist.py: ok")


asyncio.run(main())
