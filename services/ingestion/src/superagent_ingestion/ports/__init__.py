"""What ingestion needs from the outside."""

from superagent_ingestion.ports.documents import DocumentStore
from superagent_ingestion.ports.jobs import Departures, Hints, JobStore, Progress
from superagent_ingestion.ports.objects import ObjectStore, ParsedCopies
from superagent_ingestion.ports.stages import DocumentParser, Index, Neighbours, TopicModel
from superagent_ingestion.ports.uploads import ContentStore, ImportStore, MergeLock, PartMap, UploadStore, UrlFetcher

__all__ = [
    "ContentStore",
    "Departures",
    "DocumentParser",
    "DocumentStore",
    "Hints",
    "ImportStore",
    "Index",
    "JobStore",
    "MergeLock",
    "Neighbours",
    "ObjectStore",
    "ParsedCopies",
    "PartMap",
    "Progress",
    "TopicModel",
    "UploadStore",
    "UrlFetcher",
]
