"""The embedded servers: Valkey, SeaweedFS and tansu, out of their wheels, on 127.0.0.1, with their data in one folder."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from dev.infrastructure.credentials import Credentials
from dev.infrastructure.seaweed import SeaweedPorts, remove_sockets, seaweed
from dev.infrastructure.tansu import tansu
from dev.infrastructure.valkey import valkey
from dev.ports import PortBook
from dev.process import ManagedProcess
from dev.together import together

OBJECT_BUCKET = "superagent"
EVENT_BUCKET = "superagent-events"

_READY_SECONDS = 60.0
# SeaweedFS needs 1.0 to 1.3 s; once in a while it hangs for 10 s or more and then is killed, which it survives.
_STOP_SECONDS = 1.6


class EmbeddedInfrastructure:
    """Starts the servers on entering, stops them on leaving, and keeps them running in between.

    The constructor chooses ports and credentials (both kept in `data_dir`), so `environment()` is known before anything
    runs. Raises StartFailed when a binary is missing or a server does not come up.
    """

    def __init__(self, data_dir: Path, ports: PortBook | None = None) -> None:
        data_dir = data_dir.absolute()
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._ports = ports or PortBook(data_dir / "ports.json")
        self._credentials = Credentials.kept_in(data_dir / "credentials.json")
        self._seaweed_ports = SeaweedPorts.given_by(self._ports)
        self._valkey_port = self._ports.port("valkey")
        self._tansu_port = self._ports.port("tansu")
        minimal = {"PATH": os.defpath, "LANG": "C.UTF-8"}
        password, buckets = self._credentials.valkey_password, (OBJECT_BUCKET, EVENT_BUCKET)
        specs = (
            valkey(data_dir / "valkey", self._valkey_port, password, minimal),
            seaweed(data_dir / "seaweedfs", self._seaweed_ports, self._credentials, buckets, minimal),
            tansu(data_dir / "tansu", self._tansu_port, self._s3_endpoint, EVENT_BUCKET, self._credentials, minimal),
        )
        self.processes: Mapping[str, ManagedProcess] = {spec.name: ManagedProcess(spec, data_dir) for spec in specs}

    @property
    def _s3_endpoint(self) -> str:
        return f"http://127.0.0.1:{self._seaweed_ports.s3}"

    def environment(self) -> dict[str, str]:
        """Where the servers are, as the services read it."""
        return {
            "REDIS_URL": f"redis://:{self._credentials.valkey_password}@127.0.0.1:{self._valkey_port}/0",
            "KAFKA_BROKERS": f"127.0.0.1:{self._tansu_port}",
            "S3_ENDPOINT": self._s3_endpoint,
            "S3_ACCESS_KEY": self._credentials.s3_access_key,
            "S3_SECRET_KEY": self._credentials.s3_secret_key,
            "S3_BUCKET": OBJECT_BUCKET,
        }

    async def start(self) -> None:
        """Starts all at once, the broker as soon as the store takes objects; returns when all answer."""
        self.processes["valkey"].start()
        self.processes["seaweedfs"].start()
        await together(self.processes["valkey"].wait_ready(_READY_SECONDS), self._start_broker())

    async def _start_broker(self) -> None:
        await self.processes["seaweedfs"].wait_ready(_READY_SECONDS)
        self.processes["tansu"].start()
        await self.processes["tansu"].wait_ready(_READY_SECONDS)

    async def stop(self, within_seconds: float = _STOP_SECONDS) -> None:
        """Stops the broker, then its store; kills what is left after `within_seconds`."""
        deadline = time.monotonic() + within_seconds
        await asyncio.gather(
            self.processes["valkey"].stop(within_seconds), self.processes["tansu"].stop(within_seconds / 2)
        )
        await self.processes["seaweedfs"].stop(max(0.0, deadline - time.monotonic()))
        remove_sockets(self._seaweed_ports)

    async def __aenter__(self) -> EmbeddedInfrastructure:
        try:
            await self.start()
        except BaseException:
            await self._leave()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._leave()

    async def _leave(self) -> None:
        await self.stop()
        self._ports.close()
