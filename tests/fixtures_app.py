"""A small workspace with English and Chinese content, for tests of the application."""

from collections.abc import Sequence
from pathlib import Path

from annotator.domain.document import Chunk, Document
from annotator.domain.query import Label, SampledQuery, Stratum, Variant
from annotator.storage import corpus, pools, samples
from annotator.storage.samples import Plan
from annotator.workspace import Workspace, create_workspace

PUMP_TEXT = (
    "Warranty of the pump\n\n"
    "The warranty lasts twenty-four months from the date of delivery. "
    "Who registers the device online within 30 days gets thirty-six months.\n\n"
    "Seals, bearings and the impeller are wear parts and keep the standard period. "
    "Claims need the serial number, the invoice and a short description of the fault."
)
PUMP_TEXT_ZH = (
    "泵的保修\n\n"
    "保修期自交货之日起为二十四个月。在三十天内于网上注册的设备，保修期延长至三十六个月。\n\n"
    "密封件、轴承和叶轮属于易损件，只享受标准保修期。索赔时须提供序列号、发票和故障说明。"
)
HOSTILE_TEXT = (
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'> **bold** :rocket: "
    "Family 👨‍👩‍👧‍👦 and flag 🇨🇭, e\u0301 with an accent, 𠮷 outside the plane.\r\n"
    "مدة الضمان ٣٦ شهرًا بعد التسجيل.\u00a0End."
)


def a_document(doc_id: str, text: str, *, title: str = "", lang: str = "en") -> Document:
    """Return a document; its hash is not looked at."""
    return Document(doc_id, text, title, "", lang, f"sha-{doc_id}")


def chunks_of(document: Document, *, size: int) -> list[Chunk]:
    """Cut a document every `size` code points."""
    starts = range(0, len(document.text), size)
    return [
        Chunk(
            chunk_id=f"{document.doc_id}-c{index}",
            doc_id=document.doc_id,
            start=start,
            end=min(start + size, len(document.text)),
            text=document.text[start : start + size],
            title=document.title,
            index=index,
        )
        for index, start in enumerate(starts)
    ]


def a_query(
    query_id: str,
    text: str,
    *,
    lang: str = "en",
    bucket: str = "warranty",
    stratum: Stratum = "head",
    variants: Sequence[str] = (),
) -> SampledQuery:
    """Return a sampled query."""
    return SampledQuery(
        query_id=query_id,
        text=text,
        bucket=Label(f"b-{bucket}", bucket),
        intent=Label("i-service", "service"),
        stratum=stratum,
        frequency=12,
        inclusion_probability=0.5,
        lang=lang,
        variants=tuple(Variant(variant, 3) for variant in (text, *variants)),
    )


def an_empty_workspace(folder: Path) -> Workspace:
    """Make a workspace without any content."""
    return create_workspace(
        folder, name="Field service manuals", licence="CC0-1.0", languages=("en", "zh")
    )


def a_workspace(folder: Path) -> Workspace:
    """Make a workspace with five queries: 20 chunks, 3, 4, 2 with hostile text, and none."""
    workspace = an_empty_workspace(folder)
    pump = a_document("manual-pump", PUMP_TEXT, title="Pump manual, section 2.4")
    pump_zh = a_document("manual-pump-zh", PUMP_TEXT_ZH, title="水泵手册 第 2.4 节", lang="zh")
    hostile = a_document("hostile", HOSTILE_TEXT, title="<b>Hostile</b> & co", lang="en")
    long = a_document(
        "manual-long",
        "\n".join(
            f"Step {n}. Close valve {n}, wait {n} minutes and read the gauge before going on."
            for n in range(1, 41)
        ),
        title="Maintenance steps",
    )
    cut = {
        "pump": chunks_of(pump, size=120),
        "zh": chunks_of(pump_zh, size=45),
        "hostile": chunks_of(hostile, size=400),
        "long": chunks_of(long, size=140),
    }
    queries = [
        a_query("q-steps", "Which valve comes first in maintenance?", bucket="maintenance"),
        a_query(
            "q-warranty",
            "How long is the pump warranty after online registration?",
            variants=("pump warrenty registered", "warranty length if registered online"),
        ),
        a_query("q-zh", "在网上注册后，泵的保修期是多久？", lang="zh", stratum="torso"),
        a_query("q-hostile", "<script>alert(1)</script> & **warranty** 😀?", stratum="tail"),
        a_query("q-nothing", "Can I use glycol above 40 %?", bucket="fluids", stratum="tail"),
    ]
    with workspace.store.write() as tx:
        corpus.replace_documents(tx, [pump, pump_zh, hostile, long])
        for chunks in cut.values():
            corpus.add_chunks(tx, chunks)
        samples.replace(tx, Plan("p-1", 5, 1, {}), queries)
        ids = {name: [chunk.chunk_id for chunk in chunks] for name, chunks in cut.items()}
        pools.set_pool(tx, "q-steps", ids["long"][:20])
        pools.set_pool(tx, "q-warranty", ids["pump"][:3])
        pools.set_pool(tx, "q-zh", [*ids["zh"][:3], ids["pump"][1]])
        pools.set_pool(tx, "q-hostile", [ids["hostile"][0], ids["pump"][0]])
    return workspace
