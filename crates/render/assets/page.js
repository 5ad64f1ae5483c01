// What a page can do besides being read: keys, live messages, focus that survives a swap.
// Everything works without this file. Nothing that comes in is ever read as HTML.
(() => {
  'use strict';

  const byId = (id) => document.getElementById(id);
  const main = () => byId('main');
  const MOST_IN_FEED = 50;

  // --- Live -----------------------------------------------------------------------------------

  const KINDS = ['reflection_start', 'reflection_complete', 'lesson_highlight', 'lessons_added',
    'promoted', 'decayed', 'changed', 'gap'];
  let source = null;
  let address = null;

  const say = (text) => {
    const state = byId('live-state');
    if (state) state.textContent = text;
  };

  // Opens the stream of the project that is looked at, once.
  function listen() {
    const wanted = main() && main().dataset.events;
    if (wanted === address && source && source.readyState !== EventSource.CLOSED) {
      say(source.readyState === EventSource.OPEN ? 'Live' : 'Connecting…');
      return;
    }
    if (source) source.close();
    source = null;
    address = wanted;
    if (!wanted || !window.EventSource) return;
    source = new EventSource(wanted);
    source.onopen = () => say('Live');
    source.onerror = () => say('Not live: trying again');
    source.onmessage = heard;
    KINDS.forEach((kind) => source.addEventListener(kind, heard));
  }

  function heard(event) {
    let message;
    try {
      message = JSON.parse(event.data);
    } catch {
      return;
    }
    tell(message);
    document.body.dispatchEvent(new CustomEvent('memory-changed'));
  }

  const words = (word) => String(word).replaceAll('_', ' ');

  function sentence(message) {
    let text = words(message.type || 'changed');
    if (message.type === 'gap') return 'Some messages were missed.';
    if (message.scenario) text += `, ${words(message.scenario)}`;
    if (message.from && message.to) text += `, ${words(message.from)} to ${words(message.to)}`;
    if (message.created !== undefined && message.updated !== undefined) {
      text += `, ${message.created} created, ${message.updated} updated`;
    }
    return text;
  }

  function lessonsOf(message) {
    if (message.lesson) return [{ id: message.lesson, summary: message.summary }];
    return Array.isArray(message.lessons) ? message.lessons : [];
  }

  function linkTo(lesson) {
    const id = String(lesson.id || lesson);
    const link = document.createElement('a');
    const project = new URLSearchParams(location.search).get('project');
    link.href = `/lessons/${encodeURIComponent(id)}`
      + (project ? `?project=${encodeURIComponent(project)}` : '');
    link.dir = 'auto';
    link.textContent = lesson.summary || id;
    return link;
  }

  // Puts one line on top of the feed.
  function tell(message) {
    const feed = byId('feed');
    if (!feed) return;
    const line = document.createElement('li');
    line.className = 'fresh';
    const time = document.createElement('time');
    if (message.ts) {
      time.dateTime = message.ts;
      time.title = message.ts;
    }
    time.textContent = 'just now';
    line.append(time, ` ${sentence(message)}`);
    lessonsOf(message).forEach((lesson) => line.append(': ', linkTo(lesson)));
    feed.prepend(line);
    while (feed.children.length > MOST_IN_FEED) feed.lastElementChild.remove();
    const empty = byId('feed-empty');
    if (empty) empty.hidden = true;
  }

  // --- Focus ----------------------------------------------------------------------------------

  let focused = null;
  let selection = null;
  let opened = [];

  document.addEventListener('htmx:beforeSwap', (event) => {
    const region = event.detail.target;
    // A region that refreshes itself keeps open what the reader opened; a page begins anew.
    opened = region && region !== document.body
      ? [...region.querySelectorAll('details[open][id]')].map((details) => details.id) : [];
    const at = document.activeElement;
    focused = at && at !== document.body ? at.id : null;
    selection = at && 'selectionStart' in at ? at.selectionStart : null;
  });

  // To the same element, else to the way back, else to the heading.
  function refocus(isPage) {
    const alive = document.activeElement;
    if (alive && alive !== document.body) return;
    const same = focused && byId(focused);
    if (!same && !isPage && focused === null) return;
    const target = same || byId('undo') || byId('heading');
    if (!target) return;
    target.focus({ preventScroll: !isPage });
    if (same && selection !== null && 'setSelectionRange' in target) {
      try {
        target.setSelectionRange(selection, selection);
      } catch { /* not a field of text */ }
    }
  }

  document.addEventListener('htmx:afterSettle', (event) => {
    const isPage = event.detail.target === document.body || event.target === document.body;
    opened.forEach((id) => byId(id) && (byId(id).open = true));
    refocus(isPage);
    if (isPage) prepare();
  });

  // A refused form has no address of its own: reloading shows the page that it stood on.
  document.addEventListener('htmx:beforeHistoryUpdate', (event) => {
    const { history, xhr } = event.detail;
    if (history && xhr && xhr.status >= 400) history.path = location.pathname + location.search;
  });

  // --- Keys -----------------------------------------------------------------------------------

  const KEYS = 'hardwon-keys';
  const keysAreOn = () => {
    try {
      return localStorage.getItem(KEYS) !== 'off';
    } catch {
      return true;
    }
  };

  const isTyping = (target) => target instanceof Element
    && target.closest('input, textarea, select, [contenteditable]') !== null;

  let isGoing = false;

  function go(key) {
    const link = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
    if (link) link.click();
  }

  function step(by) {
    const rows = [...document.querySelectorAll('[data-row]')];
    if (!rows.length) return false;
    const at = rows.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by;
    const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
    row.focus();
    row.scrollIntoView({ block: 'nearest' });
    return true;
  }

  // The element of this page that answers to a key.
  function press(key) {
    const element = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!element) return false;
    if (element.tagName === 'SUMMARY') {
      element.parentElement.open = true;
      const field = element.parentElement.querySelector('input:not([type="hidden"])');
      if (field) field.focus();
    } else {
      element.click();
    }
    return true;
  }

  function onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && isTyping(event.target)) {
      event.target.blur();
      return;
    }
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    const onReview = document.querySelector('[data-review]') !== null;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      // Arrows scroll, unless a row has the focus.
      const onRow = document.activeElement && document.activeElement.matches('[data-row]');
      if (onRow && step(event.key === 'ArrowDown' ? 1 : -1)) event.preventDefault();
      return;
    }
    if (!keysAreOn()) return;
    if (isGoing) {
      isGoing = false;
      go(event.key);
      event.preventDefault();
      return;
    }
    if (isDone(event.key, onReview)) event.preventDefault();
  }

  function isDone(key, onReview) {
    if (key === '?') return help();
    if (key === 'g') return (isGoing = true);
    if (key === '/') {
      const field = document.querySelector('[data-search]');
      if (!field) {
        go('l');
        return true;
      }
      field.focus();
      field.select();
      return true;
    }
    if (onReview || key === 'u') {
      const reachable = onReview ? 'akwxsrnu' : 'u';
      return reachable.includes(key) && key.length === 1 && press(key);
    }
    if (key === 'j') return step(1);
    if (key === 'k') return step(-1);
    return false;
  }

  function help() {
    const dialog = byId('keys');
    if (!dialog || dialog.open) return false;
    dialog.showModal();
    return true;
  }

  document.addEventListener('keydown', onKey);
  document.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('[data-keys-help]')) help();
  });
  document.addEventListener('change', (event) => {
    if (event.target.id !== 'keys-switch') return;
    try {
      localStorage.setItem(KEYS, event.target.checked ? 'on' : 'off');
    } catch { /* not kept, then */ }
  });

  // --- Every page -----------------------------------------------------------------------------

  function prepare() {
    document.querySelectorAll('[data-keys-help], [data-keys-switch]').forEach((element) => {
      element.hidden = false;
    });
    const box = byId('keys-switch');
    if (box) box.checked = keysAreOn();
    listen();
  }

  // A page that goes away must not be told as broken.
  addEventListener('pagehide', () => source && source.close());
  addEventListener('pageshow', (event) => event.persisted && listen());
  prepare();
})();
