"""What ingestion does when a document was uploaded: it tells the workers."""

from __future__ import annotations

from collections.abc import Callable

from superagent.ingestion.v1 import ingestion_pb2
from superagent_common.bus import Event, Subscription
from superagent_common.bus.topics import DOCUMENT_UPLOADED
from superagent_common.db import Connection
from superagent_common.telemetry import traceparent
from superagent_ingestion.adapters.job_letters import is_job_letter, redeliver_job


def uploaded_events(
    tell: Callable[[str], None], clock: Callable[[], int]
) -> Subscription[ingestion_pb2.DocumentUploaded]:
    """The subscription; `tell` takes the trace in which a worker is to be told, `clock` gives microseconds."""

    async def uploaded(connection: Connection, event: Event[ingestion_pb2.DocumentUploaded]) -> None:
        document_id = event.message.document_id
        if is_job_letter(event.id, document_id):
            await redeliver_job(connection, document_id, clock())
        # The job's row is there already; an unknown document of an outside producer has none, and the hint is void.
        # Not sent from here: this holds the database, and the workers' queue may take its time.
        tell(traceparent())

    return Subscription(DOCUMENT_UPLOADED, ingestion_pb2.DocumentUploaded, uploaded)
