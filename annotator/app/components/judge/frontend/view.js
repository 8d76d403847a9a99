// Drawing: elements from data. Text of queries and chunks enters the page by textContent alone.
import { spanToUnits } from "./offsets.js";

export const GRADES = [2, 1, 0];
export const REASONS = ["language", "unreadable", "expertise", "unclear"];

export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

export function keyHint(keys, label) {
  const hint = make("span", "hint");
  for (const key of keys.split(" ")) hint.append(make("kbd", "", key));
  hint.append(make("span", "", label));
  return hint;
}

function button(className, text, action) {
  const element = make("button", className, text);
  element.type = "button";
  element.tabIndex = -1;
  element.dataset.action = action;
  return element;
}

function foreignText(className, text, lang) {
  const element = make("div", className, text);
  element.dir = "auto";
  if (lang && lang !== "und") element.lang = lang;
  return element;
}

export function renderText(element, chunk, spans) {
  element.replaceChildren();
  let at = 0;
  for (const [index, span] of spans.entries()) {
    const [from, to] = spanToUnits(chunk, span);
    if (to <= at) continue;
    element.append(chunk.text.slice(at, Math.max(at, from)));
    const mark = make("mark", "", chunk.text.slice(Math.max(at, from), to));
    mark.dataset.span = index;
    element.append(mark);
    at = to;
  }
  element.append(chunk.text.slice(at));
}

export function buildSide(task, strings) {
  const side = make("aside", "side");
  side.append(make("div", "place", task.place));
  side.append(foreignText("question", task.query, task.lang));
  if (task.variants.length) {
    const box = make("div", "variants");
    box.append(make("div", "label", strings.also_asked));
    for (const variant of task.variants) box.append(foreignText("variant", variant, task.lang));
    side.append(box);
  }
  const guide = make("div", "guide");
  guide.append(make("div", "label", strings.guideline));
  for (const grade of GRADES) {
    const row = make("div", "rule");
    row.append(make("span", `badge g${grade}`, String(grade)), make("span", "", strings[`rule_${grade}`]));
    guide.append(row);
  }
  guide.append(make("p", "", strings.rule_alone));
  side.append(guide);
  const field = make("label", "note-field");
  field.append(make("span", "label", strings.note));
  const note = make("textarea", "note");
  note.rows = 3;
  note.maxLength = 2000;
  note.placeholder = strings.note_placeholder;
  field.append(note);
  side.append(field);
  return side;
}

export function buildBar(count, strings) {
  const bar = make("div", "bar");
  const top = make("div", "bar-row top");
  top.append(make("span", "count"));
  const progress = make("div", "progress");
  progress.append(make("i"));
  const rail = make("div", count > 14 ? "rail many" : "rail");
  for (let i = 0; i <= count; i++) {
    const tick = button(i === count ? "tick last" : "tick", "", "move");
    tick.dataset.index = i;
    tick.setAttribute("aria-label", i === count ? strings.complete_title : `#${i + 1}`);
    rail.append(tick);
  }
  top.append(rail);
  const sync = make("span", "sync");
  sync.setAttribute("role", "status");
  sync.setAttribute("aria-live", "polite");
  top.append(sync);
  const steps = make("span", "steps");
  const previous = button("step", "‹", "previous");
  previous.title = strings.previous;
  previous.setAttribute("aria-label", strings.previous);
  const next = button("step main", strings.next, "next");
  next.append(make("span", "return", "⏎"));
  steps.append(previous, next);
  top.append(steps);
  const keys = make("div", "bar-row keys");
  for (const [key, label] of strings.keys) keys.append(keyHint(key, label));
  const problem = make("div", "problem");
  problem.setAttribute("role", "alert");
  problem.hidden = true;
  bar.append(progress, top, keys, problem);
  const frame = make("div", "bar-frame");
  frame.append(bar);
  return frame;
}

export function buildCard(chunk, index, strings) {
  const card = make("li", "card");
  card.dataset.index = index;
  card.dataset.chunk = chunk.id;
  const head = make("div", "head");
  head.append(make("span", "number", `#${index + 1}`));
  const title = foreignText("title", chunk.title, chunk.lang);
  title.title = chunk.title;
  head.append(title);
  const grades = make("span", "grades");
  grades.setAttribute("role", "group");
  grades.setAttribute("aria-label", strings.grade);
  for (const grade of GRADES) {
    const choice = button(`g${grade}`, "", "grade");
    choice.append(make("b", "", String(grade)), make("span", "", strings[`grade_${grade}`]));
    choice.dataset.grade = grade;
    grades.append(choice);
  }
  head.append(grades);
  const before = foreignText("around", chunk.before, chunk.lang);
  const text = foreignText("text", "", chunk.lang);
  const after = foreignText("around", chunk.after, chunk.lang);
  before.hidden = after.hidden = true;
  card.append(head, before, text, after, make("div", "foot"));
  return card;
}

export function paintCard(card, chunk, said, { strings, rejected }) {
  if (said.grade === null) delete card.dataset.grade;
  else card.dataset.grade = said.grade;
  card.classList.toggle("refused", Boolean(said.cannot_judge));
  for (const choice of card.querySelectorAll("[data-grade]")) {
    choice.setAttribute("aria-pressed", String(Number(choice.dataset.grade) === said.grade));
  }
  renderText(card.querySelector(".text"), chunk, said.spans);
  const foot = card.querySelector(".foot");
  foot.replaceChildren();
  if (said.cannot_judge) {
    const reason = strings[`reason_${said.cannot_judge}`] || said.cannot_judge;
    foot.append(make("span", "tag gray", fill(strings.cannot_tag, { reason })));
  }
  if (said.spans.length && said.grade === null) {
    foot.append(make("span", "tag yellow", strings.evidence_waits));
  } else if (said.spans.length) {
    foot.append(make("span", "tag plain", fill(strings.evidence_tag, { n: said.spans.length })));
  }
  if (said.note) foot.append(foreignText("tag plain note-tag", `${strings.note_tag} ${said.note}`));
  if (rejected) foot.append(make("span", "tag red", fill(strings.rejected, { reason: rejected })));
}

export function buildReasons(strings) {
  const form = make("div", "reasons");
  form.append(make("div", "label", strings.cannot_title));
  for (const [index, code] of REASONS.entries()) {
    const choice = button("reason", "", "reason");
    choice.dataset.reason = code;
    choice.append(make("kbd", "", String(index + 1)), make("span", "", strings[`reason_${code}`]));
    form.append(choice);
  }
  const other = make("input", "other");
  other.type = "text";
  other.maxLength = 400;
  other.placeholder = strings.reason_other;
  other.setAttribute("aria-label", strings.reason_other);
  form.append(other, make("div", "quiet", strings.reason_keys));
  return form;
}

export function buildHelp(strings) {
  const box = make("div", "help");
  box.setAttribute("role", "note");
  box.hidden = true;
  box.append(make("div", "label", strings.help_title));
  const grid = make("div", "help-grid");
  for (const [key, label] of strings.all_keys) grid.append(keyHint(key, label));
  box.append(grid);
  return box;
}

export function buildComplete(count, strings) {
  const card = make("li", "card complete");
  card.dataset.index = count;
  const head = make("div", "head");
  head.append(make("span", "title", strings.complete_title), make("span", "quiet left"));
  card.append(head, make("p", "quiet", strings.complete_question));
  const choices = make("div", "choices");
  for (const [key, code] of [["a", "one"], ["s", "together"], ["d", "elsewhere"], ["f", "none"]]) {
    const choice = button("choice", "", "verdict");
    choice.dataset.verdict = code;
    const words = make("span", "words");
    words.append(make("b", "", strings[`verdict_${code}`]), make("span", "quiet", strings[`verdict_${code}_help`]));
    choice.append(make("kbd", "", key), words);
    choices.append(choice);
  }
  card.append(choices, make("div", "members"), make("div", "warning"));
  return card;
}

export function paintComplete(card, { strings, chunks, said, verdict, left }) {
  card.querySelector(".left").textContent = left ? fill(strings.left, { n: left }) : strings.all_judged;
  const hasDirect = chunks.some((chunk) => said.get(chunk.id).grade === 2);
  for (const choice of card.querySelectorAll("[data-verdict]")) {
    const code = choice.dataset.verdict;
    choice.setAttribute("aria-pressed", String(code === verdict.choice));
    choice.disabled = !isPossible(code, { chunks, said });
  }
  const members = card.querySelector(".members");
  members.replaceChildren();
  if (verdict.choice === "together") {
    members.append(make("div", "label", strings.members));
    for (const [index, chunk] of chunks.entries()) {
      if (!(said.get(chunk.id).grade > 0) && !verdict.members.includes(chunk.id)) continue;
      const member = button("member", "", "member");
      member.dataset.member = chunk.id;
      member.setAttribute("aria-pressed", String(verdict.members.includes(chunk.id)));
      member.append(make("b", "", `#${index + 1}`), make("span", "", chunk.text.slice(0, 90)));
      members.append(member);
    }
    if (verdict.others.length) {
      members.append(make("div", "quiet", fill(strings.more_sets, { n: verdict.others.length })));
    }
  }
  const warnings = [];
  if (verdict.choice && left) warnings.push(fill(strings.warn_left, { n: left }));
  if (verdict.choice === "together" && verdict.members.length < 2) warnings.push(strings.warn_two);
  if (verdict.choice === "none" && hasDirect) warnings.push(strings.warn_direct);
  if (verdict.choice === "one" && !hasDirect) warnings.push(strings.warn_no_direct);
  card.querySelector(".warning").textContent = warnings.join(" ");
}

export function isPossible(code, { chunks, said }) {
  const grades = chunks.map((chunk) => said.get(chunk.id).grade);
  if (code === "one") return grades.includes(2);
  if (code === "together") return grades.filter((grade) => grade > 0).length >= 2;
  return !grades.includes(2);
}
