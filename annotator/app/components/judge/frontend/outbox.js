// The outbox: what was said and not yet acknowledged. One entry of localStorage per event, so
// that two tabs never overwrite each other's; an event leaves only when the server named its id.

const BATCH_EVENTS = 100;
const BATCH_UNITS = 200000;
const GATHER_MS = 150;
const TIMEOUT_MS = 40000;
const LONGEST_WAIT_MS = 30000;
const ASK_TOKEN_MS = 5000;

export function newId() {
  if (globalThis.crypto && crypto.randomUUID) return crypto.randomUUID();
  const words = crypto.getRandomValues(new Uint32Array(4));
  return Array.from(words, (w) => w.toString(16).padStart(8, "0")).join("");
}

export function readEntries(storage, prefix) {
  const found = [];
  for (let i = 0; i < storage.length; i++) {
    const key = storage.key(i);
    if (!key.startsWith(prefix)) continue;
    try {
      const entry = JSON.parse(storage.getItem(key));
      if (entry && entry.event && entry.event.event_id) found.push(entry);
    } catch {
      storage.removeItem(key); // no event of ours can be read from it
    }
  }
  return found.sort((a, b) => a.at - b.at || a.seq - b.seq);
}

export function nextBatch(entries, hasToken) {
  // The oldest events of one query, since a token is for one query; a query without a token waits.
  const first = entries.find((entry) => hasToken(entry.event.query_id));
  if (!first) return [];
  const batch = [];
  let units = 0;
  for (const entry of entries) {
    if (entry.event.query_id !== first.event.query_id) continue;
    units += JSON.stringify(entry.event).length;
    if (batch.length && (batch.length >= BATCH_EVENTS || units > BATCH_UNITS)) break;
    batch.push(entry);
  }
  return batch;
}

export function waitMs(failures, random) {
  return Math.min(LONGEST_WAIT_MS, 500 * 2 ** Math.min(failures, 8)) * (0.75 + random / 2);
}

export class Outbox {
  constructor(space) {
    this.prefix = `annotator:${space}:event:`;
    this.entries = [];
    this.seq = 0;
    this.tokens = {};
    this.url = "";
    this.timer = null;
    this.sending = null;
    this.failures = 0;
    this.problem = "";
    this.askedAt = 0;
    this.canStore = true;
    this.onChange = () => {};
    this.onRejected = () => {};
    this.askTokens = () => {};
    try {
      this.entries = readEntries(localStorage, this.prefix);
    } catch {
      this.canStore = false;
    }
    addEventListener("online", () => this.hurry());
    addEventListener("pagehide", () => this.sendLast());
  }

  get size() {
    return this.entries.length;
  }

  get state() {
    if (!this.entries.length) return "saved";
    if (this.problem) return "waiting";
    return this.sending ? "saving" : "unsaved";
  }

  of(queryId) {
    return this.entries.map((entry) => entry.event).filter((e) => e.query_id === queryId);
  }

  add(event) {
    const entry = { at: Date.now(), seq: ++this.seq, event };
    this.entries.push(entry);
    try {
      localStorage.setItem(this.prefix + event.event_id, JSON.stringify(entry));
      this.canStore = true;
    } catch {
      this.canStore = false; // full or switched off: the event lives in this page until it is sent
    }
    this.schedule(GATHER_MS);
    this.onChange();
  }

  use(url, tokens) {
    // New tokens end the wait for them; tokens of other queries stay good.
    const isNew = Object.entries(tokens).some(([id, token]) => this.tokens[id] !== token);
    this.url = url;
    Object.assign(this.tokens, tokens);
    if (this.entries.length && isNew) this.schedule(0);
  }

  schedule(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), delay);
  }

  hurry() {
    this.failures = 0;
    if (this.entries.length) this.schedule(0);
  }

  async flush() {
    // Send until nothing is left or something stands in the way; true when all is acknowledged.
    if (this.sending) await this.sending;
    if (!this.entries.length) return true;
    clearTimeout(this.timer);
    this.sending = this.sendAll();
    this.onChange();
    try {
      return await this.sending;
    } finally {
      this.sending = null;
      this.onChange();
    }
  }

  async sendAll() {
    while (this.entries.length) {
      const batch = nextBatch(this.entries, (id) => Boolean(this.tokens[id]));
      if (!batch.length) {
        this.ask();
        return false;
      }
      const failure = await this.send(batch);
      if (failure !== null) {
        this.problem = failure;
        this.failures += 1;
        this.schedule(waitMs(this.failures, Math.random()));
        return false;
      }
      this.failures = 0;
      this.problem = "";
      this.onChange();
    }
    return true;
  }

  async send(batch) {
    // null when the server answered for these events, else a reason to try again
    const queryId = batch[0].event.query_id;
    const abort = new AbortController();
    const timeout = setTimeout(() => abort.abort(), TIMEOUT_MS);
    try {
      const answer = await fetch(this.url, {
        ...this.request(batch),
        signal: abort.signal,
      });
      if (answer.status === 401 || answer.status === 403) {
        delete this.tokens[queryId];
        this.ask();
      }
      const body = await answer.json().catch(() => ({}));
      if (!answer.ok) return typeof body.error === "string" ? body.error : `HTTP ${answer.status}`;
      const rejected = Array.isArray(body.rejected) ? body.rejected : [];
      const done = new Set([...(body.acknowledged || []), ...rejected.map((r) => r.event_id)]);
      if (!batch.some((entry) => done.has(entry.event.event_id))) return "?";
      const events = batch.map((entry) => entry.event);
      this.forget(done);
      for (const { event_id, reason } of rejected) {
        const event = events.find((e) => e.event_id === event_id);
        if (event) this.onRejected(event, reason);
      }
      return null;
    } catch {
      return "offline";
    } finally {
      clearTimeout(timeout);
    }
  }

  request(batch) {
    return {
      method: "POST",
      credentials: "omit",
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${this.tokens[batch[0].event.query_id]}`,
      },
      body: JSON.stringify({ events: batch.map((entry) => entry.event) }),
    };
  }

  sendLast() {
    // The page goes away: one last try that outlives it. What fails is sent at the next opening.
    const batch = nextBatch(this.entries, (id) => Boolean(this.tokens[id]));
    if (!batch.length) return;
    const request = this.request(batch);
    if (request.body.length < 20000) fetch(this.url, { ...request, keepalive: true }).catch(() => {});
  }

  forget(ids) {
    this.entries = this.entries.filter((entry) => !ids.has(entry.event.event_id));
    for (const id of ids) {
      try {
        localStorage.removeItem(this.prefix + id);
      } catch {
        this.canStore = false;
      }
    }
  }

  ask() {
    // Ask the screen for tokens of queries that have unsent events and none that is good.
    const now = Date.now();
    const ids = [...new Set(this.entries.map((e) => e.event.query_id))];
    const missing = ids.filter((id) => !this.tokens[id]);
    if (!missing.length) return;
    if (now - this.askedAt >= ASK_TOKEN_MS) {
      this.askedAt = now;
      this.askTokens(missing);
    }
    this.schedule(ASK_TOKEN_MS);
  }
}
