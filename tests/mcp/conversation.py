"""A whole conversation of an agent with `hardwon mcp`, played by the Python SDK's client.

That client checks every structured answer against the tool's output schema, so an answer
that does not keep its promise fails here.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile

from mcp import ClientSession, MCPError, StdioServerParameters, stdio_client
from mcp.types import Implementation

HARDWON = sys.argv[1]
WARNING = "Query built by string concatenation in the user search"
TOOLS = {
    "lessons_for",
    "remember",
    "report_finding",
    "record_outcome",
    "mark_effect",
    "submit_reflection",
    "review",
}


def hardwon(environment, *args, record=None):
    """What somebody types on the command line."""
    ran = subprocess.run(
        [HARDWON, *args, "--json"], env=environment, input=record, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def learn_warning(environment):
    """Two runs in which a reviewer warned: the warning is a lesson now."""
    for run in ("r1", "r2"):
        lines = [
            {"type": "run", "id": run, "detectors": ["guardian"]},
            {"type": "finding", "author": "guardian", "severity": "warning", "text": WARNING},
        ]
        hardwon(environment, "learn", "-", record="\n".join(map(json.dumps, lines)))


async def said(session, tool, **arguments):
    """The data of the answer of a call that must succeed: for programs, beside the text."""
    result = await session.call_tool(tool, arguments)
    assert not result.is_error, f"{tool}: {result.content}"
    assert result.content[0].text, f"{tool} says nothing to a model"
    assert result.structured_content is None, f"{tool} answers twice"
    return result.meta["hardwon/answer"]


async def refused(session, tool, **arguments):
    """The text of a call that must be refused, as an answer of the tool."""
    result = await session.call_tool(tool, arguments)
    assert result.is_error, f"{tool} took {arguments}: {result.content}"
    text = result.content[0].text
    assert "hint: " in text, text
    return text


async def introduces_itself(session):
    begun = await session.initialize()
    assert begun.server_info.name == "hardwon"
    assert "Before you start a task" in begun.instructions[:300]
    assert len(begun.instructions.encode()) < 2048
    listed = (await session.list_tools()).tools
    assert {tool.name for tool in listed} == TOOLS
    for tool in listed:
        assert len(tool.description.encode()) < 2048, tool.name
        assert tool.input_schema["type"] == "object" and tool.output_schema is None, tool.name
        assert tool.annotations.open_world_hint is False, tool.name


async def plays_a_run(session):
    shown = await said(
        session, "lessons_for", task="fix the user search query", role="maker", paths=["src/api.rs"]
    )
    assert WARNING in shown["block"], shown
    lesson = shown["lessons"][0]
    assert lesson["why"].startswith("provisional, seen in 2 runs"), lesson
    again = await said(
        session, "lessons_for", task="fix the user search query", role="maker", paths=["src/api.rs"]
    )
    assert again["block"] == shown["block"] and again["run"] == shown["run"]

    found = await said(
        session,
        "report_finding",
        text="Retry loop in the uploader has no upper bound",
        severity="bug",
        path="src/upload.rs",
        line=12,
        category="reliability",
    )
    assert len(found["new"]) == 1 and found["run"] == shown["run"], found
    repeated = await said(
        session,
        "report_finding",
        text="Retry loop in the uploader has no upper bound",
        severity="bug",
        path="src/upload.rs",
        line=12,
        category="reliability",
    )
    assert repeated["already_known"], repeated

    marked = await said(
        session, "mark_effect", lesson=lesson["id"], effect="no_help", because="it happened again"
    )
    assert marked["lesson"]["id"] == lesson["id"]
    ended = await said(session, "record_outcome", outcome="partial")
    assert ended["recorded"] and ended["outcome"] == "partial"
    return lesson["id"]


async def states_lessons(session):
    kept = await said(
        session,
        "remember",
        text="Use the staging database when testing migrations",
        kind="rule",
        paths=["migrations/"],
        tags=["database"],
    )
    assert kept["lesson"]["state"] == "candidate" and not kept["lesson"]["shown"]
    known = await said(
        session, "remember", text="Use the staging database when testing migrations", kind="rule"
    )
    assert known["already_known"] and known["lesson"]["id"] == kept["lesson"]["id"]

    good = {
        "text": "Run the schema generator before committing changes to wire structs",
        "evidence": "$ cargo test\nerror: docs/schemas differ",
    }
    vague = {"text": "Be careful with code", "evidence": "it broke"}
    bare = {"text": "Avoid mocking the clock in scheduler tests", "evidence": " "}
    judged = await said(session, "submit_reflection", candidates=[good, vague, bare])
    assert [one["accepted"] for one in judged["candidates"]] == [True, False, False], judged
    assert judged["n_accepted"] == 1 and judged["status"] == "degraded"
    assert all(one["reason"] for one in judged["candidates"][1:])
    return kept["lesson"]["id"]


async def reviews(session, lesson, candidate):
    assert (await said(session, "review"))["n_waiting"] == 0
    doubted = await said(
        session, "review", action="request", lesson=lesson, because="the search is gone"
    )
    assert doubted["lesson"]["state"] == "under_review"
    waiting = await said(session, "review", action="list")
    assert waiting["items"][0]["lesson"]["id"] == lesson
    put_away = await said(session, "review", action="archive", lesson=candidate, because="no use")
    assert put_away["lesson"]["state"] == "archived"
    for action in ("approve", "keep", "weaken"):
        text = await refused(session, "review", action=action, lesson=lesson, because="it is fine")
        assert "NeedsPerson" in text and f"hardwon review {action}" in text, text


async def takes_mistakes(session, lesson):
    assert "NeedsPerson" in await refused(
        session, "mark_effect", lesson=lesson, effect="helped", because="it did"
    )
    await refused(session, "mark_effect", lesson="l-nothing", effect="hurt", because="it did")
    await refused(session, "record_outcome", outcome="success")
    # A run that nobody knows is recorded with its outcome; an odd id is known by its digest.
    unknown = await said(session, "record_outcome", outcome="success", run="never-heard-of")
    assert unknown["status"] == "degraded", unknown
    odd = await said(session, "lessons_for", run="no run id")
    assert odd["run"].startswith("run-"), odd
    await refused(session, "record_outcome", outcome="splendid")
    await refused(session, "lessons_for", paths="src/api.rs")
    await refused(session, "remember", text=7)
    await refused(session, "remember", text="Be careful")
    await refused(session, "remember")
    await refused(session, "remember", text="Use it", file="/etc/passwd")
    await refused(session, "report_finding", text="Bad")
    await refused(session, "report_finding", text=WARNING, severity="odd")
    await refused(session, "submit_reflection", candidates=[])
    await refused(session, "submit_reflection", candidates=[{"text": "a", "evidence": "b"}] * 6)
    await refused(session, "review", action="archive")
    await refused(session, "review", action="delete", lesson=lesson, because="no")
    try:
        await session.call_tool("forget", {})
    except MCPError as error:
        assert "lessons_for" in str(error), error
    else:
        raise AssertionError("an unknown tool was called")
    await session.send_ping()


async def main():
    with tempfile.TemporaryDirectory() as home:
        environment = {
            "PATH": os.environ["PATH"],
            "HARDWON_HOME": home,
            "HARDWON_PROJECT": "demo",
            "HARDWON_HOLDOUT": "0",
        }
        learn_warning(environment)
        server = StdioServerParameters(command=HARDWON, args=["mcp"], env=environment)
        client = Implementation(name="test-agent", version="1")
        async with stdio_client(server) as (read, write):
            async with ClientSession(
                read, write, read_timeout_seconds=60, client_info=client
            ) as session:
                await introduces_itself(session)
                lesson = await plays_a_run(session)
                candidate = await states_lessons(session)
                await reviews(session, lesson, candidate)
                await takes_mistakes(session, lesson)
        # What a client calls itself counts for nothing, and an agent's word is only claimed.
        authors = {
            (one["author"], one["trust"])
            for one in hardwon(environment, "list", "--all")["lessons"]
            if one["author"] != "guardian"
        }
        assert authors == {("agent mcp", "claimed")}, authors
    print("tests/mcp/conversation.py: ok")


if __name__ == "__main__":
    asyncio.run(main())
