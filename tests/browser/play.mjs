// Plays the page in a real browser, on a memory of its own. Every step fails loudly.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';

const [, , hardwon, few] = process.argv;
const pictures = process.env.PICTURES;
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'hardwon-page-'));
const environment = {
  PATH: process.env.PATH, HARDWON_HOME: path.join(home, 'data'), HARDWON_PROJECT: 'demo', USER: 'ann',
};
const call = (args, input = '') => execFileSync(hardwon, ['--as-user', ...args],
  { env: environment, cwd: home, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
const step = (text) => console.log(`  ${text}`);

const HOSTILE = [
  '<script>window.owned=1</script>', '"><img src=x onerror="window.owned=1">',
  "'><svg onload=window.owned=1>", 'javascript:window.owned=1', '</textarea><script>window.owned=1</script>',
  '{{constructor.constructor("window.owned=1")()}}', '<a href="javascript:window.owned=1">x</a>',
];
const record = (run, findings, more = {}) => [
  { type: 'run', id: run, detectors: ['guardian'], session: 's-1', agent: 'claude-code', tools: ['bash'], ...more },
  ...findings.map((text) => ({ type: 'finding', author: 'guardian', severity: 'warning', text, path: 'src/api.rs', line: 41 })),
].map((line) => JSON.stringify(line)).join('\n') + '\n';

const W = 'Query built by string concatenation in the user search';
for (const run of ['r1', 'r2', 'r3']) call(['learn'], record(run, [W, 'Retry loop has no upper bound in the mail sender']));
for (const [n, text] of HOSTILE.entries()) {
  call(['add', `Always escape ${text} in the report number ${n}`, '--kind', 'pattern', '--tag', text.slice(0, 20)]);
}
call(['inject', '--run', 'r4', '--role', 'maker', '--text', 'user search']);
call(['learn'], record('r4', [W], {
  outcome: 'failed', summary: 'The search was rebuilt <b>twice</b>', task: HOSTILE[1],
}) + JSON.stringify({ type: 'step', kind: 'command', tool: 'bash', action: 'make test', ok: false, output: '1 test failed' }) + '\n');
call(['reflect', '--run', 'r4']);
const lessons = JSON.parse(call(['list', '--json'])).lessons;
const lesson = lessons.find((one) => one.text === W);
call(['review', 'request', lesson.id, '--because', 'is it still true?']);

// A project as it looks after two weeks, for the pictures. Gives a lesson.
function shop() {
  const found = [
    ['Query built by string concatenation in the user search', 'guardian', 'src/search.rs'],
    ['Retry loop has no upper bound in the mail sender', 'reviewer', 'src/mail.rs'],
    ['Migration adds a column without a default', 'guardian', 'migrations/0012.sql'],
  ];
  const at = (day, args, input) => execFileSync(hardwon, ['--as-user', ...args], {
    env: { ...environment, HARDWON_PROJECT: 'shop', HARDWON_NOW: `${new Date(Date.now() - (14 - day) * 864e5).toISOString().slice(0, 19)}Z` },
    cwd: home, input: input ?? '', encoding: 'utf8',
  });
  for (let day = 1; day <= 13; day += 1) {
    const run = `r${day}`;
    if (day > 2) at(day, ['inject', '--run', run, '--role', 'maker', '--text', 'search, mail and migrations']);
    const now = found.filter((_, n) => (day * (n + 2)) % 5 < (day < 6 ? 4 : 1 + n));
    at(day, ['learn'], [
      { type: 'run', id: run, kind: 'ci', agent: 'claude-code', tools: ['bash'], task: `SHOP-${100 + day}`, session: `week-${day < 8 ? 1 : 2}`,
        detectors: ['guardian', 'reviewer'], outcome: now.length > 1 ? 'failed' : 'success', summary: 'Search by name and by order number' },
      ...now.map(([text, author, file]) => ({ type: 'finding', author, severity: 'warning', category: 'quality', text, path: file, line: 40 + day })),
    ].map((line) => JSON.stringify(line)).join('\n') + '\n');
  }
  at(13, ['add', 'Answer in English, whatever the ticket is written in']);
  const lessons = JSON.parse(at(13, ['list', '--json'])).lessons;
  const id = lessons.find((one) => one.text.startsWith('Query')).id;
  at(13, ['review', 'request', lessons.find((one) => one.text.startsWith('Retry')).id, '--because', 'the sender was replaced']);
  return id;
}

const server = spawn(hardwon, ['--as-user', 'serve', '--json'], { env: environment, cwd: home });
const url = await new Promise((resolve, reject) => {
  server.stdout.once('data', (line) => resolve(JSON.parse(line).url));
  server.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
});
const base = url.split('/?')[0];

const browser = await playwright.launch({
  executablePath: await chromium.executablePath(), args: ['--no-sandbox', '--disable-gpu'], headless: true,
});
const troubles = [];
const open = async (options) => {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.on('console', (message) => { if (message.type() === 'error') troubles.push(message.text()); });
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('dialog', (dialog) => { troubles.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  return { context, page };
};

try {
  const { context, page } = await open({});
  const title = (word) => page.waitForFunction((start) => document.title.startsWith(start), word, { timeout: 5000 });
  await page.goto(url);
  assert.equal(page.url(), `${base}/`, 'the code stays in the address');
  const cookies = await context.cookies();
  assert.ok(cookies.length === 1 && cookies[0].httpOnly && cookies[0].sameSite === 'Strict');
  await page.waitForFunction(() => document.getElementById('live-state').textContent === 'Live');
  step('opened with the code; it is live');

  await page.keyboard.press('g'); await page.keyboard.press('l'); await title('Lessons');
  // A page has its title before its body.
  await page.waitForSelector('[data-search]');
  await page.keyboard.press('/');
  await page.keyboard.type('concatenation');
  await page.waitForFunction(() => document.querySelectorAll('#list .row').length === 1);
  await page.keyboard.press('Escape');
  await page.locator('[data-row]').first().focus();
  await page.keyboard.press('Enter');
  await title('Query');
  step('found and opened a lesson by keys alone');

  await page.keyboard.press('g'); await page.keyboard.press('v'); await title('Review');
  assert.ok((await page.textContent('main')).includes(W));
  await page.keyboard.press('k');
  await page.waitForFunction(() => document.body.textContent.includes('Your decision was noted'));
  assert.equal(JSON.parse(call(['show', lesson.id, '--json'])).lesson.state, 'provisional');
  await page.keyboard.press('u');
  await page.waitForFunction(() => document.body.textContent.includes('Taken back'));
  assert.equal(JSON.parse(call(['show', lesson.id, '--json'])).lesson.state, 'under_review');
  step('decided by a key, and took it back');

  // What came from elsewhere waits for a yes.
  const elsewhere = { ...environment, HARDWON_HOME: path.join(home, 'elsewhere') };
  const there = (args) => execFileSync(hardwon, ['--as-user', ...args], { env: elsewhere, cwd: home, encoding: 'utf8' });
  const foreign = 'Name the unit in every timeout';
  there(['add', foreign, '--kind', 'pattern']);
  const exported = path.join(home, 'export.jsonl');
  fs.writeFileSync(exported, there(['export']));
  call(['import', exported]);
  const stateOf = () => JSON.parse(call(['list', '--json', '--all'])).lessons.find((one) => one.text === foreign);
  assert.equal(stateOf().state, 'quarantined');
  await page.goto(`${base}/review?skip=${lesson.id}`);
  assert.ok((await page.textContent('main')).includes(foreign));
  await page.keyboard.press('a');
  await page.waitForFunction(() => document.body.textContent.includes('Your decision was noted'));
  assert.notEqual(stateOf().state, 'quarantined');
  await page.keyboard.press('u');
  await page.waitForFunction(() => document.body.textContent.includes('Taken back'));
  assert.equal(stateOf().state, 'quarantined');
  step('approved by a key, and took it back');

  await page.goto(`${base}/lessons`);
  // What changes before the stream has looked for the first time comes with the next change.
  await page.waitForFunction(() => document.getElementById('live-state').textContent === 'Live');
  await page.waitForTimeout(1000);
  const text = 'Close the connection when the request ends';
  call(['add', text, '--kind', 'pattern']);
  await page.waitForFunction((wanted) => document.querySelector('#list').textContent.includes(wanted), text, { timeout: 8000 });
  step('what another process learned appeared without a reload');

  await page.goto(`${base}/runs/r4`);
  const panel = await page.textContent('main');
  assert.ok(/lessons learned/i.test(panel), panel);
  assert.ok(panel.includes('<b>twice</b>'), 'the summary, as it was written');
  step('the panel of a run after a reflection');

  const hostile = JSON.parse(call(['list', '--json', '--limit', '50'])).lessons;
  const pageOf = (one) => `/lessons/${encodeURIComponent(one.id)}`;
  const places = few ? ['/', '/review', pageOf(hostile[0])]
    : ['/', '/lessons', '/runs', '/runs/r4', '/sessions/s-1', '/review', ...hostile.map(pageOf)];
  const axe = fs.readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
  let n = 0;
  for (const colorScheme of few ? ['light'] : ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const place of places) {
      await page.goto(base + place);
      assert.equal(await page.evaluate(() => window.owned), undefined, `${place} ran something`);
      assert.equal(await page.locator('main img, main script').count(), 0, place);
      // The policy forbids scripts of others: axe runs beside the page.
      const session = await context.newCDPSession(page);
      const { result } = await session.send('Runtime.evaluate', {
        expression: `${axe}; axe.run(document, {runOnly: ['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa']})
          .then((found) => JSON.stringify(found.violations.map((one) => one.id + ' ' + one.nodes[0].html)))`,
        awaitPromise: true, returnByValue: true,
      });
      assert.equal(result.value, '[]', `${place} ${colorScheme}: ${result.value}`);
      await session.detach();
      n += 1;
    }
  }
  step(`${n} pages: no violation that axe knows, nothing hostile ran`);

  const narrow = await open({ viewport: { width: 360, height: 740 }, storageState: await context.storageState() });
  for (const place of ['/', '/lessons', `/lessons/${lesson.id}`, '/runs/r4', '/review']) {
    await narrow.page.goto(base + place);
    const over = await narrow.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${place} is ${over} px too wide for a phone`);
  }
  const plain = await open({ javaScriptEnabled: false, storageState: await context.storageState() });
  await plain.page.goto(`${base}/lessons/${lesson.id}`);
  assert.ok((await plain.page.textContent('main')).includes(W));
  await Promise.all([plain.page.waitForURL(/done=pinned/), plain.page.click('#act-pin')]);
  assert.equal(JSON.parse(call(['show', lesson.id, '--json'])).lesson.pinned, true);
  await Promise.all([plain.page.waitForURL(/done=undone/), plain.page.click('#undo')]);
  assert.equal(JSON.parse(call(['show', lesson.id, '--json'])).lesson.pinned, false);
  step('fine at 360 px, and without JavaScript');

  if (pictures) {
    const id = shop();
    const wide = await open({ viewport: { width: 1280, height: 860 }, storageState: await context.storageState() });
    const shots = [['overview', '/'], ['lesson', `/lessons/${id}`], ['run', '/runs/r9'], ['review', '/review']];
    for (const [name, place] of shots) {
      await wide.page.goto(`${base}${place}?project=shop`);
      await wide.page.screenshot({ path: path.join(pictures, `${name}.png`) });
    }
  }
  assert.deepEqual(troubles, [], 'the console is quiet');
} finally {
  await browser.close();
  server.kill('SIGTERM');
}
const code = await new Promise((resolve) => (server.exitCode === null ? server.once('exit', resolve) : resolve(server.exitCode)));
assert.equal(code, 0, 'a clean end');
fs.rmSync(home, { recursive: true, force: true });
console.log('the page works');
