// Offsets: from a selection in the page to code points in a document, and back.
// A DOM offset counts UTF-16 units; everything that leaves this page counts code points.

export function codePointsBefore(text, unit) {
  // UTF-16 index -> code point index
  let points = 0;
  for (let i = 0; i < unit && i < text.length; points++) i += text.codePointAt(i) > 0xffff ? 2 : 1;
  return points;
}

export function unitsBefore(text, point) {
  // code point index -> UTF-16 index
  let i = 0;
  for (let n = 0; n < point && i < text.length; n++) i += text.codePointAt(i) > 0xffff ? 2 : 1;
  return i;
}

export function snapToGraphemes(text, from, to) {
  // Widen a range so that it cuts no emoji, flag or combining mark.
  if (typeof Intl === "undefined" || !("Segmenter" in Intl)) return [from, to];
  const parts = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
  const first = parts.containing(from);
  const last = to > 0 ? parts.containing(to - 1) : undefined;
  return [first ? first.index : from, last ? last.index + last.segment.length : to];
}

export function trimSpace(text, from, to) {
  // A double click or a drag often takes the space beside a word along.
  while (from < to && /\s/.test(text[from])) from++;
  while (to > from && /\s/.test(text[to - 1])) to--;
  return [from, to];
}

export function spanFromUnits(chunk, from, to) {
  // UTF-16 range in the chunk's text -> span in the document, null where nothing is left
  const trimmed = trimSpace(chunk.text, Math.min(from, to), Math.max(from, to));
  if (trimmed[0] === trimmed[1]) return null;
  const [a, b] = snapToGraphemes(chunk.text, trimmed[0], trimmed[1]);
  return {
    doc_id: chunk.doc_id,
    start: chunk.start + codePointsBefore(chunk.text, a),
    end: chunk.start + codePointsBefore(chunk.text, b),
  };
}

export function spanToUnits(chunk, span) {
  // Span in the document -> UTF-16 range in the chunk's text, cut at the chunk's borders
  return [
    unitsBefore(chunk.text, Math.max(0, span.start - chunk.start)),
    unitsBefore(chunk.text, Math.max(0, span.end - chunk.start)),
  ];
}

export function quoteOf(chunk, span) {
  // The document's text of a span; null where it reaches beyond what the page knows
  const around = Array.from(chunk.before + chunk.text + chunk.after);
  const base = chunk.start - Array.from(chunk.before).length;
  const from = span.start - base;
  const to = span.end - base;
  return from < 0 || to > around.length ? null : around.slice(from, to).join("");
}

export function addSpan(spans, span) {
  // A new span takes the place of those it touches; the rest stay. In document order.
  const apart = spans.filter((s) => s.end <= span.start || s.start >= span.end);
  return [...apart, span].sort((a, b) => a.start - b.start);
}

export function selectedRange(root) {
  // The selection, also inside a shadow root; null where nothing is selected
  const selection = document.getSelection();
  let range = null;
  if (root instanceof ShadowRoot) {
    if (selection && selection.getComposedRanges) {
      range = selection.getComposedRanges({ shadowRoots: [root] })[0] || null;
    } else if (root.getSelection) {
      const inner = root.getSelection();
      range = inner && inner.rangeCount ? inner.getRangeAt(0) : null;
    }
  }
  if (!range && selection && selection.rangeCount) range = selection.getRangeAt(0);
  if (!range) return null;
  const empty =
    range.startContainer === range.endContainer && range.startOffset === range.endOffset;
  return empty ? null : range;
}

export function unitsFromStart(element, node, offset) {
  // DOM point -> UTF-16 offset in the element's text; exact for CR LF and no-break spaces
  const range = document.createRange();
  range.setStart(element, 0);
  range.setEnd(node, offset);
  return range.toString().length;
}
