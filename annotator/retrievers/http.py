"""Any retriever that answers JSON over HTTP, by a request template and paths into the answer."""

import json
import math
import os
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import httpx
import jmespath
from jmespath.exceptions import JMESPathError

from annotator.domain.errors import InputError, RetrieverAnswerError, RetrieverUnavailable
from annotator.retrievers.base import Capabilities, RawAnswer, RawHit

_RETRY_STATUS = {429, 502, 503, 504}
_FIRST_PAUSE_S = 0.2


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """How to ask and where the answer holds what; the fields of `settings.HttpRetriever`."""

    url: str
    method: str
    headers: dict[str, str]
    body: str
    hits: str
    chunk_id: str
    score: str
    doc_id: str
    start: str
    end: str
    confidence: str
    version: str
    timeout_s: float
    retries: int


class HttpRetriever:
    """Ask a server. Secrets come from the environment and never enter a message."""

    def __init__(self, name: str, request: HttpRequest) -> None:
        self._name = name
        self._request = request
        self._body = _template(name, request.body)
        paths = {
            field: _path(name, field, getattr(request, field))
            for field in ("hits", "chunk_id", "score", "doc_id", "start", "end", "confidence")
        }
        self._paths = paths
        headers = {key: _from_environment(name, value) for key, value in request.headers.items()}
        self._client = httpx.Client(
            headers=headers, timeout=request.timeout_s, follow_redirects=False
        )

    @property
    def name(self) -> str:
        """The name in the settings."""
        return self._name

    @property
    def version(self) -> str:
        """What the settings call this state of the server, else its address."""
        return self._request.version or public_url(self._request.url)

    @property
    def capabilities(self) -> Capabilities:
        """As far as the settings tell."""
        return Capabilities(
            scores=bool(self._request.score),
            confidence=self._request.confidence,
            offsets=bool(self._request.start and self._request.end),
        )

    def search(self, query: str, *, k: int) -> RawAnswer:
        """Ask the server once, again after a failure that may pass."""
        answer = self._json(self._ask(query, k))
        found = self._paths["hits"].search(answer) if self._paths["hits"] else answer
        if found is None:
            keys = ", ".join(sorted(answer)[:8]) if isinstance(answer, dict) else "none"
            raise RetrieverAnswerError(
                f"Retriever {self._name!r}: the path hits = {self._request.hits!r} leads to "
                f"nothing in the answer, whose keys are: {keys}. Correct it in annotator.toml, or "
                "see whether the answer is an error."
            )
        if not isinstance(found, list):
            raise RetrieverAnswerError(
                f"Retriever {self._name!r}: the path hits = {self._request.hits!r} leads to "
                f"{type(found).__name__}, not to a list. Correct it in annotator.toml."
            )
        confidence = None
        if self._paths["confidence"]:
            confidence = self._number("confidence", self._paths["confidence"].search(answer))
        return RawAnswer([self._hit(entry) for entry in found[:k]], confidence)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, query: str, k: int) -> httpx.Response:
        url = self._request.url.replace("{query}", quote(query, safe="")).replace("{k}", str(k))
        body = None if self._request.method == "GET" else _filled(self._body, query, k)
        pause, problem = _FIRST_PAUSE_S, ""
        for attempt in range(self._request.retries + 1):
            if attempt:
                time.sleep(pause)
                pause *= 2
            try:
                response = self._client.request(self._request.method, url, json=body)
            except httpx.TimeoutException:
                problem = f"it gave no answer within {self._request.timeout_s:g} s"
            except httpx.HTTPError as error:
                problem = str(error) or type(error).__name__
            except httpx.InvalidURL as error:
                raise InputError(
                    f"Retriever {self._name!r}: the url is not valid: {error}."
                ) from None
            else:
                if response.status_code < 300:
                    return response
                problem = f"it answered HTTP {response.status_code}"
                if response.status_code not in _RETRY_STATUS:
                    break
        where = public_url(self._request.url)
        raise RetrieverUnavailable(
            f"Retriever {self._name!r} at {where} failed for the query {query[:60]!r}: {problem}. "
            "Check that it runs, and its url, headers and timeout_s in annotator.toml."
        )

    def _json(self, response: httpx.Response) -> object:
        try:
            return response.json()
        except (ValueError, RecursionError):  # not JSON, not UTF-8, or nested without end
            kind = response.headers.get("content-type", "no content type")
            raise RetrieverAnswerError(
                f"Retriever {self._name!r} answered {kind}, not JSON: {response.text[:60]!r}."
            ) from None

    def _hit(self, entry: object) -> RawHit:
        if isinstance(entry, str):
            return RawHit(chunk_id=entry)
        chunk_id = self._identifier("chunk_id", entry)
        doc_id = self._identifier("doc_id", entry)
        if chunk_id is None and doc_id is None:
            raise RetrieverAnswerError(
                f"Retriever {self._name!r}: a hit has neither {self._request.chunk_id!r} nor "
                f"{self._request.doc_id!r}: {json.dumps(entry)[:120]}. Correct the paths in "
                "annotator.toml."
            )
        start, end = self._found("start", entry), self._found("end", entry)
        return RawHit(
            chunk_id=chunk_id,
            doc_id=doc_id,
            start=start if isinstance(start, int) else None,
            end=end if isinstance(end, int) else None,
            score=self._number("score", self._found("score", entry)),
        )

    def _found(self, field: str, entry: object) -> object:
        path = self._paths[field]
        return path.search(entry) if path else None

    def _identifier(self, field: str, entry: object) -> str | None:
        value = self._found(field, entry)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise RetrieverAnswerError(
                f"Retriever {self._name!r}: {field} is {json.dumps(value)[:60]}, not an id."
            )
        return str(value)

    def _number(self, field: str, value: object) -> float | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RetrieverAnswerError(
                f"Retriever {self._name!r}: {field} is {json.dumps(value)[:60]}, not a number."
            )
        if not math.isfinite(value):
            raise RetrieverAnswerError(f"Retriever {self._name!r}: {field} is {value}.")
        return float(value)


def public_url(url: str) -> str:
    """Return an address without what may be secret: user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rsplit("@", 1)[-1]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _template(name: str, body: str) -> object:
    try:
        return json.loads(body)
    except json.JSONDecodeError as error:
        raise InputError(
            f"Retriever {name!r}: body is not valid JSON ({error}). Write the template as JSON, "
            'such as {"query": "{query}", "k": "{k}"}.'
        ) from error


def _filled(template: object, query: str, k: int) -> Any:
    if isinstance(template, dict):
        return {key: _filled(value, query, k) for key, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, query, k) for value in template]
    if template == "{k}":
        return k
    return template.replace("{query}", query) if isinstance(template, str) else template


def _path(name: str, field: str, text: str) -> Any:
    if not text:
        return None
    try:
        return jmespath.compile(text)
    except JMESPathError as error:
        reason = str(error).split("\n")[0]
        raise InputError(
            f"Retriever {name!r}: {field} = {text!r} is no JMESPath: {reason}"
        ) from error


def _from_environment(name: str, value: str) -> str:
    if not value.startswith("env:"):
        return value
    variable = value.removeprefix("env:")
    if variable not in os.environ:
        raise InputError(
            f"Retriever {name!r} takes a header from the environment variable {variable}, which "
            "is not set."
        )
    return os.environ[variable]
