"""A small workspace, built once by the command line and copied for each test."""

import json
import shutil
from pathlib import Path

import pytest

from tests.command_line import succeed

TOPICS = {
    "battery": ("The battery lasts nine hours", "and charges in two hours with the dock."),
    "warranty": ("The warranty runs for 24 months", "from the day on which the parcel arrives."),
    "refund": ("A refund is paid within 14 days", "after the lamp came back to the warehouse."),
    "pairing": ("Hold the side button for five seconds", "until the ring blinks blue to pair."),
    "firmware": ("Firmware 3.2 is installed at night", "when the lamp has been idle for an hour."),
    "delivery": ("Delivery takes three working days", "within the country and seven abroad."),
    "保修": ("保修期为二十四个月", "自包裹送达之日起计算。"),
    "退款": ("退款在十四天内到账", "从仓库收到退回的灯具开始计算。"),
    "配对": ("按住侧面按钮五秒", "直到灯环闪烁蓝光即可配对。"),
    "固件": ("固件 3.2 会在夜间安装", "前提是灯具已空闲一小时。"),
}
QUESTIONS = [
    *("how long does the battery last", "how long is the warranty", "when is my refund paid"),
    *("how do I pair the lamp", "when is firmware 3.2 installed", "how long does delivery take"),
    *("保修期多久", "退款多久到账", "怎么配对灯具", "固件什么时候安装"),
    *("can I pay with shells", "does the lamp speak Klingon"),
]


def write_documents(path: Path) -> None:
    """Write one document per topic, each long enough for several chunks."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for topic, (first, second) in TOPICS.items():
            text = f"# {topic}\n\n{first} {second}\n\n## More on {topic}\n\n"
            text += "\n\n".join(f"{i}. {topic}: {second}" for i in range(1, 9))
            row = {"doc_id": f"doc-{topic}", "title": topic, "text": text}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


@pytest.fixture(scope="session")
def pooled_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a workspace with sample, corpus and pool; nothing is judged."""
    folder = tmp_path_factory.mktemp("template")
    write_documents(folder / "documents.jsonl")
    rows = [q for i, q in enumerate(QUESTIONS) for _ in range(len(QUESTIONS) - i)]
    (folder / "log.csv").write_text("query\n" + "\n".join(rows) + "\n", encoding="utf-8")
    workspace = folder / "workspace"
    succeed("init", workspace, "--name", "Lamps", "--licence", "CC0-1.0")
    succeed("log", "import", folder / "log.csv", workspace=workspace)
    succeed("curate", workspace=workspace)
    succeed("sample", "--budget", 10, workspace=workspace)
    succeed(
        *("corpus", "import", folder / "documents.jsonl", "--chunk-chars", 80), workspace=workspace
    )
    succeed("pool", "--retriever", "lexical", "--depth", 5, workspace=workspace)
    return folder


@pytest.fixture
def pooled(pooled_template: Path, tmp_path: Path) -> Path:
    """Return a fresh copy of the pooled workspace."""
    return Path(shutil.copytree(pooled_template / "workspace", tmp_path / "workspace"))


@pytest.fixture(scope="session")
def judged_template(pooled_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the pooled workspace with every query settled, mined."""
    folder = tmp_path_factory.mktemp("judged")
    workspace = Path(shutil.copytree(pooled_template / "workspace", folder / "workspace"))
    pool = folder / "pool.jsonl"
    succeed(*("pool", "--retriever", "lexical", "--depth", 5, "--out", pool), workspace=workspace)
    labels = folder / "labels.jsonl"
    with labels.open("w", encoding="utf-8") as file:
        for number, line in enumerate(pool.read_text(encoding="utf-8").splitlines()):
            row = json.loads(line)
            answered = number % 4 != 3 and bool(row["chunk_ids"])
            for rank, chunk_id in enumerate(row["chunk_ids"]):
                grade = 2 if answered and rank == 0 else 0
                file.write(_line(row, type="grade", chunk_id=chunk_id, grade=grade))
            file.write(_line(row, type="query", has_answer=answered))
    succeed("judgments", "import", labels, workspace=workspace)
    succeed("mine", "--retriever", "lexical", workspace=workspace)
    return workspace


@pytest.fixture
def judged(judged_template: Path, tmp_path: Path) -> Path:
    """Return a fresh copy of the judged workspace."""
    return Path(shutil.copytree(judged_template, tmp_path / "workspace"))


def _line(row: dict[str, object], **values: object) -> str:
    return json.dumps({"query_id": row["query_id"], "assessor": "ada", **values}) + "\n"
