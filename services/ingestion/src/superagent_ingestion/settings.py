"""Settings of the ingestion service and its workers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, field_validator
from pydantic_settings import SettingsConfigDict

from superagent_common.settings import ServiceSettings
from superagent_ingestion.domain.fetching import networks_of, ports_of


def _networks(listed: str) -> str:
    networks_of(listed)
    return listed


def _ports(listed: str) -> str:
    ports_of(listed)
    return listed


class Settings(ServiceSettings):
    """Environment names begin with INGESTION_."""

    model_config = SettingsConfigDict(env_prefix="INGESTION_")

    database_url: str
    """The service's own database, `sqlite:///path`."""
    redis_url: str = Field(validation_alias="REDIS_URL")
    """Redis, `redis://host:port`."""
    kafka_brokers: str = Field(validation_alias="KAFKA_BROKERS")
    """Kafka brokers, `host:port` separated by commas."""
    s3_endpoint: str = Field(validation_alias="S3_ENDPOINT")
    """The object store, `http://host:port`."""
    s3_access_key: SecretStr = Field(validation_alias="S3_ACCESS_KEY")
    """Its access key."""
    s3_secret_key: SecretStr = Field(validation_alias="S3_SECRET_KEY")
    """Its secret key."""
    s3_bucket: str = Field(validation_alias="S3_BUCKET")
    """The bucket that holds parts and documents."""
    retrieval_address: str = Field(validation_alias="RETRIEVAL_ADDRESS")
    """retrieval's gRPC door, host:port."""
    gateway_address: str = Field(validation_alias="GATEWAY_ADDRESS")
    """The gateway's gRPC door (ConfigService), host:port."""
    worker_processes: int = Field(default=2, ge=1)
    """Documents that are worked on at once: with two, one is read while the other is embedded."""
    worker_nice: int = Field(default=5, ge=0, le=19)
    """How far workers and their parsers stand back when the processor is wanted by others: 0 not at all, 19 most. A
    thousand files then do not slow down a chat."""
    worker_memory_mib: int = Field(default=400, ge=1)
    """A worker process that has held more is replaced when its documents are done."""
    lease_seconds: float = Field(default=15, gt=0)
    """A worker that is silent for so long has lost its job to the next. It speaks three times in that time; longer than
    a loaded machine holds it up, since a job that is lost five times fails."""
    give_way_seconds: float = Field(default=10, ge=0)
    """A document that is being indexed for so long lets another person's go first when no worker is free for it."""
    sweep_seconds: float = Field(default=2, gt=0)
    """How often jobs without a worker are looked for."""
    worker_locks_dir: Path | None = None
    """A folder that the service and its workers on one machine share: there the service sees at its next sweep that a
    worker died, instead of waiting for the lease. Without it, and for workers elsewhere, the lease alone tells."""
    index_timeout_seconds: float = Field(default=3600, gt=0)
    """How long indexing one document may take."""
    job_limit_seconds: float = Field(default=7200, gt=0)
    """After so long a worker process is killed, whatever it does."""
    model_chunking: bool = False
    """Whether the strategy `model+recursive` may be chosen, for difficult documents: it asks the model of `LLM_MODEL`
    (or `LLM_SMALL_MODEL`) where topics begin, some 8,000 characters a call."""
    model_chunking_calls: int = Field(default=20, ge=1)
    """At most so many calls for one document; a longer one is cut without the model."""
    import_networks: Annotated[str, AfterValidator(_networks)] = ""
    """Networks, `10.1.0.0/16` separated by commas, that documents may be fetched from besides the public internet: an
    intranet, for example. Everything else that is not public is refused."""
    import_ports: Annotated[str, AfterValidator(_ports)] = "80,443"
    """Ports that documents may be fetched from, separated by commas."""
    import_max_bytes: int = Field(default=200 * 2**20, gt=0)
    """A fetched document has at most so many bytes."""
    import_timeout_seconds: float = Field(default=120, gt=0)
    """Fetching one document takes at most so long, redirects included."""
    import_redirects: int = Field(default=5, ge=0)
    """How often a server may send on to another address, which is checked like the first."""
    upload_days: float = Field(default=7, gt=0)
    """Uploads that are not completed are forgotten after so long (ING-17)."""
    ocr: Literal["auto", "off"] = "auto"
    """Whether the text of scans and pictures is recognised. auto: when the extra `ocr` is installed."""
    ocr_pages: int = Field(default=200, ge=1)
    """Scanned pages that one document may have; a full page takes about ten seconds of a core."""
    ocr_seconds: float = Field(default=3600, gt=0)
    """How long recognising the text of one document may take."""
    soffice: str = "auto"
    """LibreOffice, which reads old .doc, .ppt and .xls files best: `auto` (the one on the PATH), `off`, or the path of its
    program `soffice`. Without it these files are read more coarsely."""

    @field_validator("soffice")
    @classmethod
    def _soffice_is_there(cls, soffice: str) -> str:
        if soffice not in ("auto", "off") and not os.access(soffice, os.X_OK):
            raise ValueError("is neither `auto` nor `off` nor a program")
        return soffice
