"""Knowledge domains."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "knowledge_domains",
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("owner_org_tag", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(
            ["owner_org_tag"],
            ["org_tags.code"],
        ),
        sa.PrimaryKeyConstraint("code"),
    )


def downgrade() -> None:
    op.drop_table("knowledge_domains")
