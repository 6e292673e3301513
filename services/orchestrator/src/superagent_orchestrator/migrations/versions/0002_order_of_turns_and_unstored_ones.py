"""The order of a conversation's turns, what a turn replaces or replays, turns that wait for memory."""

from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "unstored_turns",
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("conversation_id", sa.String(length=36), nullable=False),
        sa.Column("principal", sa.JSON(), nullable=False),
        sa.Column("request", sa.LargeBinary(length=1048576), nullable=False),
        sa.Column("kept_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("turn_id"),
    )
    op.add_column("turns", sa.Column("position", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("turns", sa.Column("replaces_turn_id", sa.String(length=36), nullable=True))
    op.add_column("turns", sa.Column("replays_turn_id", sa.String(length=36), nullable=True))
    _number_turns(op.get_bind())
    op.create_index("turns_by_conversation", "turns", ["conversation_id", "position"], unique=True)


def downgrade() -> None:
    op.drop_index("turns_by_conversation", table_name="turns")
    op.drop_column("turns", "replays_turn_id")
    op.drop_column("turns", "replaces_turn_id")
    op.drop_column("turns", "position")
    op.drop_table("unstored_turns")


def _number_turns(connection: sa.Connection) -> None:
    """So far turns had no order but that of their times."""
    turns = sa.table("turns", *map(sa.column, ("turn_id", "conversation_id", "started_at", "position")))
    in_order = sa.select(turns.c.conversation_id, turns.c.turn_id).order_by(
        turns.c.conversation_id, turns.c.started_at, turns.c.turn_id
    )
    numbered = [
        {"turn": turn_id, "number": number}
        for _, rows in groupby(connection.execute(in_order).all(), key=lambda row: row[0])
        for number, (_, turn_id) in enumerate(rows, start=1)
    ]
    if numbered:
        place = sa.update(turns).where(turns.c.turn_id == sa.bindparam("turn"))
        connection.execute(place.values(position=sa.bindparam("number")), numbered)
