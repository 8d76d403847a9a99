import csv
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from annotator.corpus.chunking import cut_structure, title_of
from annotator.domain.document import Chunk, Document
from annotator.text.language import guess_language

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "datasets" / "demo"
PAGES = sorted((DEMO / "documents").rglob("*.md"), key=lambda page: page.as_posix())
PERSONAL = re.compile(r"@|\d{7}")


def chunks_of(page: Path) -> list[Chunk]:
    """Cut a page as the demo does."""
    text = page.read_bytes().decode("utf-8")
    title = title_of(text, fallback="")
    document = Document(page.name, text, title, page.name, "", "")
    return cut_structure(document, chunk_chars=400, overlap_chars=0)


def log_rows() -> list[dict[str, str]]:
    with (DEMO / "log.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_data_folder_holds_no_python() -> None:
    assert list((ROOT / "datasets").rglob("*.py")) == []


def test_the_demo_has_eight_english_and_six_chinese_pages() -> None:
    folders = [page.parent.name for page in PAGES]
    assert (folders.count("en"), folders.count("zh"), len(folders)) == (8, 6, 14)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_every_page_is_utf_8_in_its_folders_language_and_has_several_chunks(page: Path) -> None:
    chunks = chunks_of(page)
    text = page.read_text(encoding="utf-8")
    assert guess_language(text, declared=("en", "zh")) == page.parent.name
    assert len(text) > 2 * 400
    assert len(chunks) > 2
    assert text.startswith("# ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_no_chunk_of_a_page_is_a_heading_alone(page: Path) -> None:
    alone = [chunk.text for chunk in chunks_of(page) if re.fullmatch("#+ .*", chunk.text)]
    assert alone == []


def test_the_log_has_its_columns_and_runs_forward_in_time() -> None:
    rows = log_rows()
    assert list(rows[0]) == ["time", "query", "user"]
    assert all(row["query"] and row["user"] for row in rows)
    times = [datetime.fromisoformat(row["time"]) for row in rows]
    assert times == sorted(times)


def test_the_demo_holds_no_mail_address_and_no_telephone_number() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    texts.extend(row["query"] for row in log_rows())
    assert [text for text in texts if PERSONAL.search(text)] == []


@pytest.mark.slow
def test_sentence_transformers_can_be_imported_beside_the_data_folder() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from sentence_transformers import SentenceTransformer"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
