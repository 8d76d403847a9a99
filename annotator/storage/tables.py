"""The tables. Stays inside `storage/`; the migrations are what makes them.

An invariant that the types state stands here once more, as a constraint.
"""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_Seq = BigInteger().with_variant(Integer, "sqlite")

facts = Table(
    "facts",
    metadata,
    Column("key", String, primary_key=True),
    Column("value", JSON, nullable=False),
)

imports = Table(
    "imports",
    metadata,
    Column("kind", String, primary_key=True),
    Column("sha256", String, primary_key=True),
    Column("file_name", Text, nullable=False),
    Column("options", JSON, nullable=False),
    Column("counts", JSON, nullable=False),
    Column("created_at", String, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("doc_id", String, primary_key=True),
    Column("title", Text, nullable=False),
    Column("uri", Text, nullable=False),
    Column("lang", String, nullable=False),
    Column("sha256", String, nullable=False),
    Column("chars", Integer, nullable=False),
    Column("text", Text, nullable=False),
)

chunks = Table(
    "chunks",
    metadata,
    Column("chunk_id", String, primary_key=True),
    Column("doc_id", String, ForeignKey("documents.doc_id"), nullable=False),
    Column("start_char", Integer, nullable=False),
    Column("end_char", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    CheckConstraint("0 <= start_char AND start_char < end_char", name="offsets"),
    Index(None, "doc_id", "start_char"),
)

plans = Table(
    "plans",
    metadata,
    Column("plan_id", String, primary_key=True),
    Column("budget", Integer, nullable=False),
    Column("seed", Integer, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("created_at", String, nullable=False),
)

sampled_queries = Table(
    "sampled_queries",
    metadata,
    Column("query_id", String, primary_key=True),
    Column("plan_id", String, ForeignKey("plans.plan_id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("bucket_id", String, nullable=False),
    Column("bucket_name", Text, nullable=False),
    Column("intent_id", String, nullable=False),
    Column("intent_name", Text, nullable=False),
    Column("stratum", String, nullable=False),
    Column("frequency", Integer, nullable=False),
    Column("inclusion_probability", Float),
    Column("lang", String, nullable=False),
    Column("source", String, nullable=False),
    Column("variants", JSON, nullable=False),
    CheckConstraint("stratum IN ('head', 'torso', 'tail')", name="stratum"),
    CheckConstraint("frequency >= 1", name="frequency"),
    CheckConstraint(
        "inclusion_probability IS NULL OR "
        "(inclusion_probability > 0 AND inclusion_probability <= 1)",
        name="inclusion_probability",
    ),
)

pool_chunks = Table(
    "pool_chunks",
    metadata,
    Column("query_id", String, ForeignKey("sampled_queries.query_id"), primary_key=True),
    Column("chunk_id", String, ForeignKey("chunks.chunk_id"), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("source", String, nullable=False),
    CheckConstraint("source IN ('pool', 'mine')", name="source"),
    Index(None, "chunk_id"),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("purpose", String, nullable=False),
    Column("retriever", String, nullable=False),
    Column("retriever_version", String, nullable=False),
    Column("depth_k", Integer, nullable=False),
    Column("corpus_sha256", String, nullable=False),
    Column("created_at", String, nullable=False),
)

run_lists = Table(
    "run_lists",
    metadata,
    Column("run_id", String, ForeignKey("runs.run_id"), primary_key=True),
    Column("query_id", String, primary_key=True),
    Column("confidence", Float),
    Column("latency_ms", Float, nullable=False),
)

run_hits = Table(
    "run_hits",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("query_id", String, primary_key=True),
    Column("rank", Integer, primary_key=True),
    Column("chunk_id", String, nullable=False),
    Column("score", Float),
    ForeignKeyConstraint(
        ["run_id", "query_id"],
        ["run_lists.run_id", "run_lists.query_id"],
    ),
    UniqueConstraint("run_id", "query_id", "chunk_id"),
)

events = Table(
    "events",
    metadata,
    Column("seq", _Seq, primary_key=True, autoincrement=True),
    Column("event_id", String, nullable=False, unique=True),
    Column("type", String, nullable=False),
    Column("query_id", String, nullable=False, index=True),
    Column("chunk_id", String),
    Column("assessor", String, nullable=False),
    Column("scheme_version", Integer, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("received_at", String, nullable=False),
    CheckConstraint("type IN ('grade', 'query')", name="type"),
)

judgments = Table(
    "judgments",
    metadata,
    Column("query_id", String, ForeignKey("sampled_queries.query_id"), primary_key=True),
    Column("chunk_id", String, ForeignKey("chunks.chunk_id"), primary_key=True),
    Column("assessor", String, primary_key=True),
    Column("scheme_version", Integer, primary_key=True),
    Column("grade", Integer),
    Column("cannot_judge", Text, nullable=False),
    Column("spans", JSON, nullable=False),
    Column("note", Text, nullable=False),
    Column("seq", _Seq, ForeignKey("events.seq"), nullable=False),
    CheckConstraint("grade IS NULL OR grade IN (0, 1, 2)", name="grade"),
    Index(None, "chunk_id"),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("query_id", String, ForeignKey("sampled_queries.query_id"), primary_key=True),
    Column("assessor", String, primary_key=True),
    Column("scheme_version", Integer, primary_key=True),
    Column("has_answer", Boolean),
    Column("answer_groups", JSON, nullable=False),
    Column("note", Text, nullable=False),
    Column("seq", _Seq, ForeignKey("events.seq"), nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("query_id", String, ForeignKey("sampled_queries.query_id"), primary_key=True),
    Column("assessor", String, nullable=False),
    Column("lease_id", String, nullable=False, unique=True),
    Column("expires_at", Float, nullable=False),
)

hard_negatives = Table(
    "hard_negatives",
    metadata,
    Column("query_id", String, ForeignKey("sampled_queries.query_id"), primary_key=True),
    Column("chunk_id", String, ForeignKey("chunks.chunk_id"), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("run_id", String, ForeignKey("runs.run_id"), nullable=False),
    Column("rank", Integer, nullable=False),
    Index(None, "chunk_id"),
)

split_answers = Table(
    "split_answers",
    metadata,
    Column("query_id", String, ForeignKey("sampled_queries.query_id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("kind", String, nullable=False),
    Column("chunk_ids", JSON, nullable=False),
    Column("span", JSON),
    CheckConstraint("kind IN ('span', 'group')", name="kind"),
)

split_assignments = Table(
    "split_assignments",
    metadata,
    Column("name", String, primary_key=True),
    Column("query_id", String, primary_key=True),
    Column("split", String, nullable=False),
    Column("since_version", String, nullable=False),
    CheckConstraint("split IN ('tuning', 'test')", name="split"),
)

releases = Table(
    "releases",
    metadata,
    Column("name", String, primary_key=True),
    Column("version", String, primary_key=True),
    Column("parent", String),
    Column("content_sha256", String, nullable=False),
    Column("manifest", JSON, nullable=False),
    Column("created_at", String, nullable=False),
)

scores = Table(
    "scores",
    metadata,
    Column("score_id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("version", String, nullable=False),
    Column("split", String, nullable=False),
    Column("comparability_key", String, nullable=False),
    Column("run_id", String, ForeignKey("runs.run_id"), nullable=False),
    Column("report", JSON, nullable=False),
    Column("reason", Text, nullable=False),
    Column("created_at", String, nullable=False),
)

jobs = Table(
    "jobs",
    metadata,
    Column("job_id", String, primary_key=True),
    Column("arguments", JSON, nullable=False),
    Column("status", String, nullable=False),
    Column("step", Text, nullable=False),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("pid", Integer),
    Column("exit_code", Integer),
    Column("created_at", String, nullable=False),
    Column("ended_at", String),
    CheckConstraint(
        "status IN ('starting', 'running', 'succeeded', 'failed', 'cancelled', 'lost')",
        name="status",
    ),
)
