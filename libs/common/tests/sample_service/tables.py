"""Tables of the sample service."""

from sqlalchemy import Column, ForeignKey, Integer, MetaData, String, Table, Text

from superagent_common.bus import dead_letters_table, handled_events_table, outbox_table

metadata = MetaData()
notes = Table(
    "notes", metadata, Column("note_id", Integer, primary_key=True), Column("text", Text, nullable=False, unique=True)
)
labels = Table(
    "labels",
    metadata,
    Column("label", String(20), primary_key=True),
    Column("note_id", Integer, ForeignKey("notes.note_id", ondelete="CASCADE"), nullable=False),
)
outbox = outbox_table(metadata)
handled_events = handled_events_table(metadata)
dead_letters = dead_letters_table(metadata)
