// Lists and calls the tools of `hardwon mcp` with the inspector's command line, one process
// of each for every question.
// Usage: node inspector.mjs PATH_OF_HARDWON FOLDER_OF_THE_CLIENT
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const [hardwon, clients] = process.argv.slice(2);
const inspector = join(clients, "node_modules", ".bin", "mcp-inspector");
const home = mkdtempSync(join(tmpdir(), "hardwon-mcp-"));
const run = promisify(execFile);

let server = ["mcp"];

async function ask(method, ...args) {
  const variables = ["-e", `HARDWON_HOME=${home}`, "-e", "HARDWON_PROJECT=demo"];
  const all = ["--cli", ...variables, hardwon, ...server, "--method", method, ...args];
  try {
    const { stdout } = await run(inspector, all, { timeout: 60_000 });
    return JSON.parse(stdout);
  } catch (error) {
    // It ends with another status when a tool refuses, and prints what the tool said.
    if (error.stdout) return JSON.parse(error.stdout);
    throw error;
  }
}

const call = (tool, ...args) =>
  ask("tools/call", "--tool-name", tool, ...args.flatMap((arg) => ["--tool-arg", arg]));

try {
  const { tools } = await ask("tools/list");
  assert.equal(tools.length, 7);
  assert.ok(tools.every((tool) => tool.inputSchema.type === "object" && !tool.outputSchema));

  const kept = await call("remember", "text=Pin the toolchain before building release archives");
  assert.equal(kept._meta["hardwon/answer"].lesson.state, "candidate");
  const block = await call("lessons_for", "task=build a release", 'paths=["Cargo.toml"]');
  assert.equal(block._meta["hardwon/answer"].status, "empty");
  const refused = await call("remember", "text=Be careful");
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /hint: /);

  server = ["mcp", "--tools", "archivist"];
  const archivist = (await ask("tools/list")).tools;
  assert.deepEqual(
    archivist.map((tool) => tool.name),
    [
      "lessons_for",
      "memory_create_candidate_lessons",
      "memory_score_importance",
      "memory_detect_duplicates",
      "memory_merge",
      "submit_reflection",
    ],
  );
  const texts =
    'texts=["Pin the toolchain before building release archives","Wrap every returned error once before logging"]';
  const { standings } = (await call("memory_detect_duplicates", texts))._meta["hardwon/answer"];
  assert.match(standings[0], /^same as /);
  assert.equal(standings[1], "new");
} finally {
  rmSync(home, { recursive: true, force: true });
}
console.log("tests/mcp/inspector.mjs: ok");
