// Lists and calls the tools of `/mcp` with the inspector's command line, over HTTP with the token.
// Usage: node inspector.mjs FOLDER_OF_THE_CLIENT ADDRESS TOKEN
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const [folder, address, token] = process.argv.slice(2);
const inspector = join(folder, "node_modules", ".bin", "mcp-inspector");
const run = promisify(execFile);

async function ask(header, method, ...args) {
  const all = ["--cli", address, "--transport", "http", ...header, "--method", method, ...args];
  try {
    const { stdout } = await run(inspector, all, { timeout: 60_000 });
    return JSON.parse(stdout);
  } catch (error) {
    if (error.stdout) return JSON.parse(error.stdout);
    throw error;
  }
}

const known = ["--header", `Authorization: Bearer ${token}`];
const call = (tool, ...args) =>
  ask(known, "tools/call", "--tool-name", tool, ...args.flatMap((arg) => ["--tool-arg", arg]));

const { tools } = await ask(known, "tools/list");
assert.equal(tools.length, 7);
const kept = await call("remember", "text=Pin the toolchain before building release archives");
assert.equal(kept._meta["hardwon/answer"].lesson.state, "candidate");
const block = await call("lessons_for", "task=build the query of the user search without string concatenation", 'paths=["src/api.rs"]');
assert.match(block.content[0].text, /concatenation/);
await assert.rejects(ask(["--header", "Authorization: Bearer nobody"], "tools/list"), "without the token");
console.log("tests/http/inspector.mjs: ok");
