"""A retriever behind HTTP, as a process of its own: `python http_retriever.py CHUNKS PORT`.

Ranks chunks by the number of shared words. A query that begins with "!" asks for a fault:
!slow, !error, !unknown, !html, !offsets, !twice, !empty.
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Chunk = dict[str, Any]


def answer(chunks: list[Chunk], query: str, k: int) -> Any:
    """Return what the server says to a query."""
    wanted = set(query.casefold().split())
    scored = [(len(wanted & set(c["text"].casefold().split())), c) for c in chunks]
    best = sorted(scored, key=lambda pair: (-pair[0], pair[1]["chunk_id"]))[:k]
    hits = [{"id": chunk["chunk_id"], "score": score} for score, chunk in best]
    if query.startswith("!unknown"):
        hits[0]["id"] = "nobody-knows-me"
    if query.startswith("!twice"):
        hits = [hits[0], hits[0], *hits[1:]]
    if query.startswith("!empty"):
        hits = []
    if query.startswith("!offsets"):
        found = [chunk for _, chunk in best]
        spans = [{"doc": c["doc_id"], "from": c["start"], "to": c["end"]} for c in found]
        return {"result": {"items": spans}, "sure": 0.5}
    return {"result": {"items": hits}, "sure": float(len(hits) > 0)}


def main() -> None:
    """Serve until killed."""
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").split("\n")
    chunks = [json.loads(line) for line in lines if line]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the name is http.server's
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            query, k = body["q"], body["top"]
            if self.headers.get("x-key") != "open sesame":
                self.send_error(401)
                return
            if query.startswith("!slow"):
                time.sleep(3)
            if query.startswith("!error"):
                self.send_error(500)
                return
            html = query.startswith("!html")
            raw = b"<h1>hello</h1>" if html else json.dumps(answer(chunks, query, k)).encode()
            self.send_response(200)
            self.send_header("content-type", "text/html" if html else "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()


if __name__ == "__main__":
    main()
