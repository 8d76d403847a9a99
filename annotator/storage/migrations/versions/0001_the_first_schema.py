"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "documents",
        sa.Column("doc_id", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("lang", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("chars", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("doc_id", name=op.f("pk_documents")),
    )
    op.create_table(
        "events",
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("chunk_id", sa.String(), nullable=True),
        sa.Column("assessor", sa.String(), nullable=False),
        sa.Column("scheme_version", sa.Integer(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("received_at", sa.String(), nullable=False),
        sa.CheckConstraint("type IN ('grade', 'query')", name=op.f("ck_events_type")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_events")),
        sa.UniqueConstraint("event_id", name=op.f("uq_events_event_id")),
    )
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_events_query_id"), ["query_id"], unique=False)

    op.create_table(
        "facts",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_facts")),
    )
    op.create_table(
        "imports",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "sha256", name=op.f("pk_imports")),
    )
    op.create_table(
        "jobs",
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("arguments", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("ended_at", sa.String(), nullable=True),
        sa.CheckConstraint(
            "status IN ('starting', 'running', 'succeeded', 'failed', 'cancelled', 'lost')",
            name=op.f("ck_jobs_status"),
        ),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_jobs")),
    )
    op.create_table(
        "plans",
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("budget", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("plan_id", name=op.f("pk_plans")),
    )
    op.create_table(
        "releases",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("parent", sa.String(), nullable=True),
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", "version", name=op.f("pk_releases")),
    )
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("retriever", sa.String(), nullable=False),
        sa.Column("retriever_version", sa.String(), nullable=False),
        sa.Column("depth_k", sa.Integer(), nullable=False),
        sa.Column("corpus_sha256", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_runs")),
    )
    op.create_table(
        "split_assignments",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("split", sa.String(), nullable=False),
        sa.Column("since_version", sa.String(), nullable=False),
        sa.CheckConstraint("split IN ('tuning', 'test')", name=op.f("ck_split_assignments_split")),
        sa.PrimaryKeyConstraint("name", "query_id", name=op.f("pk_split_assignments")),
    )
    op.create_table(
        "chunks",
        sa.Column("chunk_id", sa.String(), nullable=False),
        sa.Column("doc_id", sa.String(), nullable=False),
        sa.Column("start_char", sa.Integer(), nullable=False),
        sa.Column("end_char", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "0 <= start_char AND start_char < end_char", name=op.f("ck_chunks_offsets")
        ),
        sa.ForeignKeyConstraint(["doc_id"], ["documents.doc_id"], name=op.f("fk_chunks_doc_id")),
        sa.PrimaryKeyConstraint("chunk_id", name=op.f("pk_chunks")),
    )
    with op.batch_alter_table("chunks", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_chunks_doc_id_start_char"), ["doc_id", "start_char"], unique=False
        )

    op.create_table(
        "run_lists",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("latency_ms", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_run_lists_run_id")),
        sa.PrimaryKeyConstraint("run_id", "query_id", name=op.f("pk_run_lists")),
    )
    op.create_table(
        "sampled_queries",
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("bucket_id", sa.String(), nullable=False),
        sa.Column("bucket_name", sa.Text(), nullable=False),
        sa.Column("intent_id", sa.String(), nullable=False),
        sa.Column("intent_name", sa.Text(), nullable=False),
        sa.Column("stratum", sa.String(), nullable=False),
        sa.Column("frequency", sa.Integer(), nullable=False),
        sa.Column("inclusion_probability", sa.Float(), nullable=True),
        sa.Column("lang", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("variants", sa.JSON(), nullable=False),
        sa.CheckConstraint(
            "stratum IN ('head', 'torso', 'tail')", name=op.f("ck_sampled_queries_stratum")
        ),
        sa.CheckConstraint("frequency >= 1", name=op.f("ck_sampled_queries_frequency")),
        sa.CheckConstraint(
            "inclusion_probability IS NULL OR (inclusion_probability > 0 AND inclusion_probability <= 1)",
            name=op.f("ck_sampled_queries_inclusion_probability"),
        ),
        sa.ForeignKeyConstraint(
            ["plan_id"], ["plans.plan_id"], name=op.f("fk_sampled_queries_plan_id")
        ),
        sa.PrimaryKeyConstraint("query_id", name=op.f("pk_sampled_queries")),
    )
    op.create_table(
        "scores",
        sa.Column("score_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("split", sa.String(), nullable=False),
        sa.Column("comparability_key", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_scores_run_id")),
        sa.PrimaryKeyConstraint("score_id", name=op.f("pk_scores")),
    )
    op.create_table(
        "hard_negatives",
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("chunk_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["chunks.chunk_id"], name=op.f("fk_hard_negatives_chunk_id")
        ),
        sa.ForeignKeyConstraint(
            ["query_id"], ["sampled_queries.query_id"], name=op.f("fk_hard_negatives_query_id")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_hard_negatives_run_id")),
        sa.PrimaryKeyConstraint("query_id", "chunk_id", name=op.f("pk_hard_negatives")),
    )
    with op.batch_alter_table("hard_negatives", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_hard_negatives_chunk_id"), ["chunk_id"], unique=False)

    op.create_table(
        "judgments",
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("chunk_id", sa.String(), nullable=False),
        sa.Column("assessor", sa.String(), nullable=False),
        sa.Column("scheme_version", sa.Integer(), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("cannot_judge", sa.Text(), nullable=False),
        sa.Column("spans", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.CheckConstraint("grade IS NULL OR grade IN (0, 1, 2)", name=op.f("ck_judgments_grade")),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["chunks.chunk_id"], name=op.f("fk_judgments_chunk_id")
        ),
        sa.ForeignKeyConstraint(
            ["query_id"], ["sampled_queries.query_id"], name=op.f("fk_judgments_query_id")
        ),
        sa.ForeignKeyConstraint(["seq"], ["events.seq"], name=op.f("fk_judgments_seq")),
        sa.PrimaryKeyConstraint(
            "query_id", "chunk_id", "assessor", "scheme_version", name=op.f("pk_judgments")
        ),
    )
    with op.batch_alter_table("judgments", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_judgments_chunk_id"), ["chunk_id"], unique=False)

    op.create_table(
        "leases",
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("assessor", sa.String(), nullable=False),
        sa.Column("lease_id", sa.String(), nullable=False),
        sa.Column("expires_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["query_id"], ["sampled_queries.query_id"], name=op.f("fk_leases_query_id")
        ),
        sa.PrimaryKeyConstraint("query_id", name=op.f("pk_leases")),
        sa.UniqueConstraint("lease_id", name=op.f("uq_leases_lease_id")),
    )
    op.create_table(
        "pool_chunks",
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("chunk_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.CheckConstraint("source IN ('pool', 'mine')", name=op.f("ck_pool_chunks_source")),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["chunks.chunk_id"], name=op.f("fk_pool_chunks_chunk_id")
        ),
        sa.ForeignKeyConstraint(
            ["query_id"], ["sampled_queries.query_id"], name=op.f("fk_pool_chunks_query_id")
        ),
        sa.PrimaryKeyConstraint("query_id", "chunk_id", name=op.f("pk_pool_chunks")),
    )
    with op.batch_alter_table("pool_chunks", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_pool_chunks_chunk_id"), ["chunk_id"], unique=False)

    op.create_table(
        "run_hits",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("chunk_id", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id", "query_id"],
            ["run_lists.run_id", "run_lists.query_id"],
            name=op.f("fk_run_hits_run_id_query_id"),
        ),
        sa.PrimaryKeyConstraint("run_id", "query_id", "rank", name=op.f("pk_run_hits")),
        sa.UniqueConstraint(
            "run_id", "query_id", "chunk_id", name=op.f("uq_run_hits_run_id_query_id_chunk_id")
        ),
    )
    op.create_table(
        "split_answers",
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("chunk_ids", sa.JSON(), nullable=False),
        sa.Column("span", sa.JSON(), nullable=True),
        sa.CheckConstraint("kind IN ('span', 'group')", name=op.f("ck_split_answers_kind")),
        sa.ForeignKeyConstraint(
            ["query_id"], ["sampled_queries.query_id"], name=op.f("fk_split_answers_query_id")
        ),
        sa.PrimaryKeyConstraint("query_id", "position", name=op.f("pk_split_answers")),
    )
    op.create_table(
        "verdicts",
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("assessor", sa.String(), nullable=False),
        sa.Column("scheme_version", sa.Integer(), nullable=False),
        sa.Column("has_answer", sa.Boolean(), nullable=True),
        sa.Column("answer_groups", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(
            ["query_id"], ["sampled_queries.query_id"], name=op.f("fk_verdicts_query_id")
        ),
        sa.ForeignKeyConstraint(["seq"], ["events.seq"], name=op.f("fk_verdicts_seq")),
        sa.PrimaryKeyConstraint("query_id", "assessor", "scheme_version", name=op.f("pk_verdicts")),
    )


def downgrade() -> None:
    op.drop_table("verdicts")
    op.drop_table("split_answers")
    op.drop_table("run_hits")
    with op.batch_alter_table("pool_chunks", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_pool_chunks_chunk_id"))

    op.drop_table("pool_chunks")
    op.drop_table("leases")
    with op.batch_alter_table("judgments", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_judgments_chunk_id"))

    op.drop_table("judgments")
    with op.batch_alter_table("hard_negatives", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_hard_negatives_chunk_id"))

    op.drop_table("hard_negatives")
    op.drop_table("scores")
    op.drop_table("sampled_queries")
    op.drop_table("run_lists")
    with op.batch_alter_table("chunks", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_chunks_doc_id_start_char"))

    op.drop_table("chunks")
    op.drop_table("split_assignments")
    op.drop_table("runs")
    op.drop_table("releases")
    op.drop_table("plans")
    op.drop_table("jobs")
    op.drop_table("imports")
    op.drop_table("facts")
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_events_query_id"))

    op.drop_table("events")
    op.drop_table("documents")
