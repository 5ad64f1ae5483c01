// Two people of a team review in real browsers, each signed in with a token of their own.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';

const hardwon = process.argv[2];
const pictures = process.env.PICTURES;
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'hardwon-team-'));
const environment = {
  PATH: process.env.PATH, HARDWON_HOME: path.join(home, 'data'), HARDWON_PROJECT: 'crew', USER: 'ann',
  HARDWON_HOLDOUT: '0', HARDWON_WORKER: 'off',
};
const call = (args, input = '') => execFileSync(hardwon, ['--as-user', ...args],
  { env: environment, cwd: home, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
const step = (text) => console.log(`  ${text}`);
const record = (run, findings) => [
  { type: 'run', id: run, detectors: ['guardian'] },
  ...findings.map((text) => ({ type: 'finding', author: 'guardian', severity: 'warning', text })),
].map((line) => JSON.stringify(line)).join('\n') + '\n';

// A lesson that has helped often enough to become canonical.
const W = 'Query built by string concatenation in the user search';
for (const run of ['r1', 'r2']) call(['learn'], record(run, [W]));
for (let n = 3; n <= 14; n += 1) {
  call(['inject', '--run', `r${n}`, '--text', 'user search query']);
  call(['learn'], record(`r${n}`, []));
}
const { lessons: [lesson] } = JSON.parse(call(['list', '--json']));
assert.equal(lesson.state, 'stable', JSON.stringify(lesson));
call(['config', 'team', 'create', '--admin', 'ann']);
for (const [name, role] of [['ben', 'reviewer'], ['cy', 'reader']]) call(['config', 'team', 'member', 'add', name, '--role', role]);
const token = (name) => JSON.parse(call(['config', 'team', 'token', 'create', name, '--as-person', '--json'])).token;
const tokens = { ann: token('ann'), ben: token('ben'), cy: token('cy') };

const server = spawn(hardwon, ['--as-user', 'serve', '--team', '--json'], { env: environment, cwd: home });
const url = await new Promise((resolve, reject) => {
  server.stdout.once('data', (line) => resolve(JSON.parse(line).url));
  server.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
});
const base = url.split('/?')[0];
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(), args: ['--no-sandbox', '--disable-gpu'], headless: true,
});
const troubles = [];
// Whoever is not signed in is told so by a status, which the console repeats.
const isExpected = (text) => text.includes('401 (Unauthorized)');

const signIn = async (name) => {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.on('console', (message) => { if (message.type() === 'error' && !isExpected(message.text())) troubles.push(message.text()); });
  page.on('pageerror', (error) => troubles.push(error.message));
  await page.goto(`${base}/`);
  assert.ok((await page.title()).startsWith('Sign in'), await page.title());
  await page.fill('#token', 'hardwon_wrong');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.body.textContent.includes('not known, or was revoked'));
  if (name === 'ann') {
    const axe = fs.readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
    const session = await context.newCDPSession(page);
    const { result } = await session.send('Runtime.evaluate', {
      expression: `${axe}; axe.run(document, {runOnly: ['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa']})
        .then((found) => JSON.stringify(found.violations.map((one) => one.id + ' ' + one.nodes[0].html)))`,
      awaitPromise: true, returnByValue: true,
    });
    assert.equal(result.value, '[]', result.value);
    if (pictures) await page.screenshot({ path: path.join(pictures, 'sign-in.png'), caret: 'initial' });
  }
  await page.fill('#token', tokens[name]);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.title.startsWith('Overview'));
  return page;
};
const says = (page, text) => page.waitForFunction((wanted) => document.body.textContent.includes(wanted), text, { timeout: 8000 });
const state = () => JSON.parse(call(['show', lesson.id, '--json'])).lesson.state;

try {
  const [ann, ben, cy] = [await signIn('ann'), await signIn('ben'), await signIn('cy')];
  step('three people signed in with tokens');
  await ann.goto(`${base}/review`);
  await says(ann, W);
  await ann.keyboard.press('a');
  await says(ann, 'Your decision was noted');
  assert.equal(state(), 'stable', 'one person alone makes nothing canonical');
  await ben.goto(`${base}/review`);
  await says(ben, 'One of two approvals is given: ann approved as reviewer');
  if (pictures) await ben.screenshot({ path: path.join(pictures, 'second-approval.png'), caret: 'initial' });
  await ben.keyboard.press('a');
  await says(ben, 'Your decision was noted');
  assert.equal(state(), 'canonical');
  const actors = JSON.parse(call(['log', lesson.id, '--json'])).entries.map((entry) => entry.actor);
  assert.deepEqual(actors.slice(0, 2), ['ben', 'ann']);
  step('two of them made a lesson canonical, and the journal names both');

  await cy.goto(`${base}/lessons/${lesson.id}`);
  await says(cy, 'your role lets you look, not decide');
  assert.equal(await cy.locator('#act-pin').count(), 0, 'no form for who may not');
  call(['config', 'team', 'token', 'revoke', 'ben']);
  await ben.goto(`${base}/lessons`);
  assert.ok((await ben.title()).startsWith('Sign in'));
  step('a reader only looks, and who is revoked is out');
  assert.deepEqual(troubles, [], 'the console is quiet');
} finally {
  await browser.close();
  server.kill('SIGTERM');
}
fs.rmSync(home, { recursive: true, force: true });
console.log('a team works on the page');
