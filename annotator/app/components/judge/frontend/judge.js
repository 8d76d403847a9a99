// The judge: one query's chunks, graded in the page and sent by the outbox.
//
// A key changes the state here at once and adds one event; nothing waits for the server. What was
// said is bound to query and chunk ids, never to a place on the screen. The state outlives
// re-renders: it hangs on the page, not on the element.
import { addSpan, quoteOf, selectedRange, spanFromUnits, unitsFromStart } from "./offsets.js";
import { newId, Outbox } from "./outbox.js";
import {
  buildBar,
  buildCard,
  buildComplete,
  buildHelp,
  buildReasons,
  buildSide,
  fill,
  isPossible,
  make,
  paintCard,
  paintComplete,
  REASONS,
} from "./view.js";

const LONGEST_ACTIVE_MS = 300000;
const FLUSH_BEFORE_LEAVING_MS = 2000;
const NOTE_PAUSE_MS = 500;
const VERDICT_KEYS = { a: "one", s: "together", d: "elsewhere", f: "none" };

class Judge {
  constructor(space) {
    this.space = space;
    this.queryId = null;
    this.said = new Map();
    this.rejected = new Map();
    this.undoable = [];
    this.cursor = 0;
    this.since = performance.now();
    this.leaving = 0;
    addEventListener("pagehide", () => this.keepNote());
    document.addEventListener("visibilitychange", () => (this.since = performance.now()));
    this.outbox = new Outbox(space);
    this.outbox.onChange = () => this.paintSync();
    this.outbox.askTokens = (ids) => this.component && this.component.setTriggerValue("tokens", ids);
    this.outbox.onRejected = (event, reason) => this.reject(event, reason);
  }

  // --- what the screen hands in -------------------------------------------------------------

  receive(component) {
    const { data, parentElement } = component;
    const isNew = this.queryId !== data.task.query_id || !this.mounted;
    const signature = [data.ui_lang, ...data.chunks.map((chunk) => chunk.id)].join("|");
    this.component = component;
    this.data = data;
    this.strings = data.strings;
    if (isNew) this.load();
    if (isNew || signature !== this.signature || !this.root || !this.root.isConnected) {
      this.signature = signature;
      this.build(parentElement);
    }
    this.mounted = true;
    this.outbox.use(data.events_url, data.tokens);
    this.paintSync();
  }

  leave() {
    this.keepNote();
    this.mounted = false;
    this.outbox.hurry();
  }

  load() {
    // What the server knows, then what is still on its way, then drafts.
    const { task, chunks } = this.data;
    const isOther = this.queryId !== task.query_id;
    this.queryId = task.query_id;
    this.said = new Map();
    for (const chunk of chunks) {
      const { grade, spans, note, cannot_judge } = chunk;
      const said = { grade, spans, note, cannot_judge };
      this.said.set(chunk.id, grade === null ? { ...said, ...this.draft(chunk.id) } : said);
    }
    this.verdict = verdictOf(task.has_answer, task.answer_groups, this.draft("").choice);
    for (const event of this.outbox.of(this.queryId)) {
      if (event.type === "query") {
        this.verdict = verdictOf(event.has_answer, event.answer_groups, this.draft("").choice);
      } else if (this.said.has(event.chunk_id)) {
        const { grade, spans, note, cannot_judge } = event;
        this.said.set(event.chunk_id, { grade, spans: spans.map(bare), note, cannot_judge });
      }
    }
    if (isOther) {
      this.undoable = [];
      this.rejected = new Map();
    }
    this.leaving = 0;
    this.cursor = this.firstOpen();
  }

  // --- what a person says -------------------------------------------------------------------

  grade(index, grade) {
    const chunk = this.data.chunks[index];
    const said = this.said.get(chunk.id);
    const spans = grade === 0 ? [] : said.spans;
    this.say(chunk, { ...said, grade, spans, cannot_judge: "" });
  }

  refuse(index, reason) {
    const chunk = this.data.chunks[index];
    const said = this.said.get(chunk.id);
    this.say(chunk, { ...said, grade: null, spans: [], cannot_judge: reason });
  }

  say(chunk, said, { isUndo = false } = {}) {
    if (!isUndo) this.undoable.push({ chunkId: chunk.id, said: this.said.get(chunk.id) });
    this.said.set(chunk.id, said);
    this.rejected.delete(chunk.id);
    this.keepDraft(chunk.id, said.grade === null ? { spans: said.spans, note: said.note } : null);
    const quotes = said.spans.map((span) => quoteOf(chunk, span));
    const spans = said.spans.map((span, i) =>
      quotes.includes(null) ? span : { ...span, quote: quotes[i] },
    );
    this.outbox.add({
      event_id: newId(),
      type: "grade",
      query_id: this.queryId,
      chunk_id: chunk.id,
      grade: said.grade,
      spans: said.grade > 0 ? spans : [],
      note: said.note,
      cannot_judge: said.cannot_judge,
      active_ms: this.takeActiveMs(),
    });
    this.paint(this.indexOf(chunk.id));
  }

  sayVerdict(verdict, { isUndo = false } = {}) {
    if (!isUndo) this.undoable.push({ verdict: this.verdict });
    this.verdict = verdict;
    this.keepDraft("", verdict.choice === "elsewhere" ? { choice: "elsewhere" } : null);
    const isSet = verdict.choice === "together" && verdict.members.length > 1;
    const groups = isSet ? [verdict.members, ...verdict.others] : [];
    const hasAnswer = { one: true, together: isSet ? true : null, none: false }[verdict.choice];
    this.outbox.add({
      event_id: newId(),
      type: "query",
      query_id: this.queryId,
      has_answer: hasAnswer === undefined ? null : hasAnswer,
      answer_groups: groups,
      note: verdict.choice === "elsewhere" ? "not in the candidates" : "",
      active_ms: this.takeActiveMs(),
    });
    this.paintAll();
    this.complete.scrollIntoView({ block: "nearest" });
  }

  chooseVerdict(code) {
    if (!isPossible(code, { chunks: this.data.chunks, said: this.said })) return;
    let { members, others } = this.verdict;
    if (code === "together" && !members.length) {
      members = this.data.chunks.map((c) => c.id).filter((id) => this.said.get(id).grade === 1);
    }
    if (code !== "together") [members, others] = [[], []];
    const again = code === this.verdict.choice;
    this.sayVerdict(again ? verdictOf(null, []) : { choice: code, members, others });
  }

  toggleMember(chunkId) {
    const { members } = this.verdict;
    const next = members.includes(chunkId)
      ? members.filter((id) => id !== chunkId)
      : this.data.chunks.map((c) => c.id).filter((id) => id === chunkId || members.includes(id));
    this.sayVerdict({ ...this.verdict, members: next });
  }

  markSelection() {
    const range = selectedRange(this.component.parentElement);
    if (!range) return false;
    const start = range.startContainer;
    const element = start.nodeType === Node.TEXT_NODE ? start.parentElement : start;
    const text = element && element.closest ? element.closest(".text") : null;
    if (!text || !this.root.contains(text)) return false;
    const index = Number(text.closest(".card").dataset.index);
    const chunk = this.data.chunks[index];
    const from = unitsFromStart(text, range.startContainer, range.startOffset);
    const to = text.contains(range.endContainer)
      ? unitsFromStart(text, range.endContainer, range.endOffset)
      : chunk.text.length; // drawn beyond the card: up to its end
    const span = spanFromUnits(chunk, from, to);
    if (!span) return false;
    document.getSelection().removeAllRanges();
    this.moveTo(index, { scroll: false });
    const said = this.said.get(chunk.id);
    const isUseless = said.grade === 0 || said.cannot_judge;
    this.say(chunk, {
      ...said,
      grade: isUseless ? null : said.grade,
      cannot_judge: "",
      spans: addSpan(said.spans, span),
    });
    return true;
  }

  removeSpan(index, number) {
    const chunk = this.data.chunks[index];
    const said = this.said.get(chunk.id);
    this.say(chunk, { ...said, spans: said.spans.filter((_, i) => i !== number) });
  }

  keepNote() {
    clearTimeout(this.noteTimer);
    const chunk = this.data && this.data.chunks[this.cursor];
    const about = this.note ? this.note.dataset : {};
    if (!chunk || about.chunk !== chunk.id || about.query !== this.queryId) return;
    const said = this.said.get(chunk.id);
    const note = this.note.value.trim().toWellFormed();
    if (said && note !== said.note) this.say(chunk, { ...said, note });
  }

  undo() {
    const last = this.undoable.pop();
    if (!last) return;
    if (last.verdict) {
      this.moveTo(this.data.chunks.length);
      this.sayVerdict(last.verdict, { isUndo: true });
      return;
    }
    const index = this.indexOf(last.chunkId);
    if (index < 0) return;
    this.moveTo(index);
    this.say(this.data.chunks[index], last.said, { isUndo: true });
    this.showNote();
  }

  reject(event, reason) {
    // The server will never take this event: show that the label does not stand.
    if (event.query_id !== this.queryId) return;
    if (event.type === "query") {
      this.verdict = verdictOf(null, []);
      this.refusal = reason;
    } else if (this.said.has(event.chunk_id)) {
      this.said.set(event.chunk_id, { ...this.said.get(event.chunk_id), grade: null });
      this.rejected.set(event.chunk_id, reason);
    }
    this.paintAll();
  }

  async go(where) {
    this.keepNote();
    if (where === "next" && this.cursor < this.data.chunks.length && this.asksVerdict()) {
      this.moveTo(this.data.chunks.length);
      return;
    }
    if (Date.now() - this.leaving < FLUSH_BEFORE_LEAVING_MS) return;
    this.leaving = Date.now();
    const from = this.queryId;
    const pause = new Promise((done) => setTimeout(done, FLUSH_BEFORE_LEAVING_MS));
    await Promise.race([this.outbox.flush(), pause]);
    if (this.queryId === from) this.component.setTriggerValue("go", { from, where, id: newId() });
  }

  // --- state that is asked for --------------------------------------------------------------

  indexOf(chunkId) {
    return this.data.chunks.findIndex((chunk) => chunk.id === chunkId);
  }

  isDone(chunk) {
    const said = this.said.get(chunk.id);
    return said.grade !== null || Boolean(said.cannot_judge);
  }

  firstOpen() {
    const index = this.data.chunks.findIndex((chunk) => !this.isDone(chunk));
    return index < 0 ? this.data.chunks.length : index;
  }

  asksVerdict() {
    const { chunks } = this.data;
    const hasDirect = chunks.some((chunk) => this.said.get(chunk.id).grade === 2);
    return chunks.every((chunk) => this.isDone(chunk)) && !hasDirect && !this.verdict.choice;
  }

  takeActiveMs() {
    const now = performance.now();
    const active = Math.round(Math.min(now - this.since, LONGEST_ACTIVE_MS));
    this.since = now;
    return active;
  }

  draftKey(chunkId) {
    return `annotator:${this.space}:draft:${this.queryId}:${chunkId}`;
  }

  draft(chunkId) {
    try {
      return JSON.parse(localStorage.getItem(this.draftKey(chunkId)) || "{}");
    } catch {
      return {};
    }
  }

  keepDraft(chunkId, draft) {
    const isEmpty = !draft || Object.values(draft).every((value) => !value.length);
    try {
      if (isEmpty) localStorage.removeItem(this.draftKey(chunkId));
      else localStorage.setItem(this.draftKey(chunkId), JSON.stringify(draft));
    } catch {
      // a draft is a convenience; the outbox tells when the browser stores nothing
    }
  }

  // --- drawing ------------------------------------------------------------------------------

  build(parentElement) {
    const { task, chunks } = this.data;
    let root = parentElement.querySelector(".judge");
    if (!root) {
      root = make("div", "judge");
      parentElement.append(root);
    }
    root.replaceChildren();
    root.tabIndex = 0;
    root.lang = this.data.ui_lang;
    root.setAttribute("role", "region");
    root.setAttribute("aria-label", this.strings.region);
    this.root = root;
    this.side = buildSide(task, this.strings);
    this.note = this.side.querySelector(".note");
    const main = make("div", "main");
    this.bar = buildBar(chunks.length, this.strings);
    this.help = buildHelp(this.strings);
    this.list = make("ol", "list");
    this.cards = chunks.map((chunk, i) => buildCard(chunk, i, this.strings));
    this.complete = buildComplete(chunks.length, this.strings);
    this.cards.push(this.complete);
    this.list.append(...this.cards);
    this.bar.append(this.help);
    main.append(this.bar, this.list);
    root.append(this.side, main);
    root.onclick = (event) => this.onClick(event);
    this.note.oninput = (event) => {
      clearTimeout(this.noteTimer);
      if (!event.isComposing) this.noteTimer = setTimeout(() => this.keepNote(), NOTE_PAUSE_MS);
    };
    this.note.onblur = () => this.keepNote();
    this.paintAll();
    this.moveTo(this.cursor, { scroll: false });
    this.cards[this.cursor].scrollIntoView({ block: "center" });
    requestAnimationFrame(() => this.focus());
  }

  focus() {
    const active = document.activeElement;
    const isTyping = active && /^(INPUT|TEXTAREA|SELECT)$/.test(active.tagName);
    if (!isTyping && this.root.isConnected) this.root.focus({ preventScroll: true });
  }

  paint(index) {
    if (!this.root) return;
    this.paintOne(index);
    this.paintSummary();
  }

  paintAll() {
    if (!this.root) return;
    for (const index of this.data.chunks.keys()) this.paintOne(index);
    this.paintSummary();
  }

  paintOne(index) {
    const chunk = this.data.chunks[index];
    const rejected = this.rejected.get(chunk.id);
    const { strings } = this;
    paintCard(this.cards[index], chunk, this.said.get(chunk.id), { strings, rejected });
  }

  paintSummary() {
    if (!this.root) return;
    const { chunks } = this.data;
    const done = chunks.filter((chunk) => this.isDone(chunk)).length;
    this.bar.querySelector(".count").textContent = `${done} / ${chunks.length}`;
    const share = chunks.length ? (100 * done) / chunks.length : 0;
    this.bar.querySelector(".progress > i").style.width = `${share}%`;
    for (const tick of this.bar.querySelectorAll(".tick")) {
      const index = Number(tick.dataset.index);
      const chunk = chunks[index];
      const said = chunk ? this.said.get(chunk.id) : null;
      tick.classList.toggle("now", index === this.cursor);
      tick.dataset.state = said
        ? said.grade !== null ? said.grade : said.cannot_judge ? "x" : ""
        : this.verdict.choice ? "done" : "";
      tick.textContent = chunk ? tick.dataset.state : "✓";
    }
    const left = chunks.length - done;
    const { strings, said, verdict } = this;
    paintComplete(this.complete, { strings, chunks, said, verdict, left });
    if (this.refusal) {
      this.complete.querySelector(".warning").textContent = fill(strings.rejected, { reason: this.refusal });
      this.refusal = "";
    }
  }

  paintSync() {
    if (!this.root || !this.strings) return;
    const { state, size, problem, canStore } = this.outbox;
    const sync = this.bar.querySelector(".sync");
    sync.dataset.state = state;
    sync.textContent = fill(this.strings[`sync_${state}`], { n: size });
    const line = this.bar.querySelector(".problem");
    const words = [];
    if (state === "waiting" && problem !== "offline" && problem !== "?") words.push(problem);
    if (state === "waiting") words.push(this.strings.sync_kept);
    if (!canStore) words.push(this.strings.no_storage);
    line.hidden = !words.length;
    line.textContent = words.join(" ");
  }

  moveTo(index, { scroll = true } = {}) {
    if (index !== this.cursor) this.keepNote();
    this.closeReasons();
    this.cards[this.cursor]?.removeAttribute("aria-current");
    this.cursor = Math.max(0, Math.min(this.cards.length - 1, index));
    const card = this.cards[this.cursor];
    card.setAttribute("aria-current", "true");
    this.since = performance.now();
    this.showNote();
    this.paintSummary();
    if (scroll) card.scrollIntoView({ block: "nearest" });
  }

  showNote() {
    const chunk = this.data.chunks[this.cursor];
    this.note.disabled = !chunk;
    this.note.dataset.chunk = chunk ? chunk.id : "";
    this.note.dataset.query = this.queryId;
    this.note.value = chunk ? this.said.get(chunk.id).note : "";
    const label = this.side.querySelector(".note-field .label");
    label.textContent = chunk ? fill(this.strings.note_on, { n: this.cursor + 1 }) : this.strings.note;
  }

  toggleAround(index) {
    const around = this.cards[index].querySelectorAll(".around");
    for (const element of around) element.hidden = !element.textContent || !element.hidden;
    this.cards[index].scrollIntoView({ block: "nearest" });
  }

  openReasons() {
    if (!this.data.chunks[this.cursor]) return;
    this.closeReasons();
    this.reasons = buildReasons(this.strings);
    this.cards[this.cursor].append(this.reasons);
    this.reasons.scrollIntoView({ block: "nearest" });
    const other = this.reasons.querySelector(".other");
    other.onkeydown = (event) => {
      if (event.isComposing || event.keyCode === 229) return;
      if (event.key === "Enter" && other.value.trim()) this.giveReason(other.value.trim().toWellFormed());
      else if (event.key === "Escape") this.closeReasons({ refocus: true });
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
  }

  closeReasons({ refocus = false } = {}) {
    if (!this.reasons) return;
    this.reasons.remove();
    this.reasons = null;
    if (refocus) this.root.focus({ preventScroll: true });
  }

  giveReason(reason) {
    const index = this.cursor;
    this.refuse(index, reason);
    this.closeReasons({ refocus: true });
    this.moveTo(index + 1);
  }

  // --- fingers ------------------------------------------------------------------------------

  onClick(event) {
    const target = event.target;
    const card = target.closest(".card");
    const action = target.closest("[data-action]");
    if (card) this.moveTo(Number(card.dataset.index), { scroll: false });
    if (target.closest("textarea, input")) return;
    if (action && !action.disabled) this.act(action);
    else if (target.dataset.span !== undefined && !selectedRange(this.component.parentElement)) {
      this.removeSpan(this.cursor, Number(target.dataset.span));
    }
    if (!selectedRange(this.component.parentElement)) this.root.focus({ preventScroll: true });
  }

  act(element) {
    const { action, index, grade, reason, verdict, member } = element.dataset;
    if (action === "move") this.moveTo(Number(index));
    else if (action === "grade") this.grade(this.cursor, Number(grade));
    else if (action === "reason") this.giveReason(reason);
    else if (action === "verdict") this.chooseVerdict(verdict);
    else if (action === "member") this.toggleMember(member);
    else if (action === "next" || action === "previous") this.go(action);
  }

  onKey(event) {
    if (event.isComposing || event.keyCode === 229) return; // an input method is at work
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (!this.mounted || !this.root.isConnected || document.querySelector('[role="dialog"]')) return;
    const target = event.composedPath()[0];
    if (isField(target)) {
      if (event.key === "Escape" && this.root.contains(target)) this.root.focus();
      return;
    }
    const isElsewhere = target instanceof Element && target !== document.body && !this.root.contains(target);
    if (isElsewhere && /^(Enter| |Arrow.*|Home|End|Escape)$/.test(event.key)) return;
    const key = event.key.normalize("NFKC");
    if (this.press(key.length === 1 ? key.toLowerCase() : key, event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  press(key, event) {
    const isCard = this.cursor < this.data.chunks.length;
    if (event.repeat && !/^(j|k|ArrowDown|ArrowUp)$/.test(key)) return true;
    if (this.reasons) {
      if (REASONS[Number(key) - 1]) this.giveReason(REASONS[Number(key) - 1]);
      else if (key === "Escape" || key === "x") this.closeReasons({ refocus: true });
      else if (key === "o" || key === "5") this.reasons.querySelector(".other").focus();
      return true;
    }
    if (isCard && /^[012]$/.test(key)) {
      const index = this.cursor;
      this.grade(index, Number(key));
      this.moveTo(index + 1);
    } else if (key === "j" || key === "ArrowDown") this.moveTo(this.cursor + 1);
    else if (key === "k" || key === "ArrowUp") this.moveTo(this.cursor - 1);
    else if (key === "Home") this.moveTo(0);
    else if (key === "End") this.moveTo(this.cards.length - 1);
    else if (key === "g") this.moveTo(this.firstOpen());
    else if (key === "u") this.undo();
    else if (key === "Enter") this.go(event.shiftKey ? "previous" : "next");
    else if (key === "h" || key === "?") this.help.hidden = !this.help.hidden;
    else if (key === "Escape" && !this.help.hidden) this.help.hidden = true;
    else if (key === "e") this.markSelection();
    else if (isCard && key === "n") this.toggleAround(this.cursor);
    else if (isCard && key === "m") this.note.focus();
    else if (isCard && key === "x") this.openReasons();
    else if (isCard && key === "s") this.moveTo(this.data.chunks.length);
    else if (!isCard && VERDICT_KEYS[key]) this.chooseVerdict(VERDICT_KEYS[key]);
    else if (!isCard && this.verdict.choice === "together" && /^[1-9]$/.test(key)) {
      this.complete.querySelectorAll(".member")[Number(key) - 1]?.click();
    } else return false;
    return true;
  }
}

function verdictOf(hasAnswer, groups, drafted) {
  const [members, ...others] = groups.length ? groups : [[]];
  let choice = { true: groups.length ? "together" : "one", false: "none" }[String(hasAnswer)];
  if (!choice) choice = drafted === "elsewhere" ? drafted : "";
  return { choice, members, others };
}

function bare(span) {
  return { doc_id: span.doc_id, start: span.start, end: span.end };
}

function isField(target) {
  if (!(target instanceof HTMLElement)) return false;
  return /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable;
}

function judgeOf(space) {
  // One per page, also when this module is loaded twice.
  const all = (globalThis[Symbol.for("rag-annotator.judge")] ??= new Map());
  if (!all.has(space)) all.set(space, new Judge(space));
  return all.get(space);
}

export default function (component) {
  const judge = judgeOf(component.data.space);
  judge.receive(component);
  judge.stop?.();
  const onKey = (event) => judge.onKey(event);
  document.addEventListener("keydown", onKey, true);
  judge.stop = () => document.removeEventListener("keydown", onKey, true);
  return () => {
    document.removeEventListener("keydown", onKey, true);
    judge.leave();
  };
}
