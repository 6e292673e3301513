"""SeaweedFS: the object store, one process with an S3 door."""

from __future__ import annotations

import asyncio
import dataclasses
import io
from collections.abc import Mapping
from pathlib import Path

from dev.infrastructure.binaries import weed_binary
from dev.infrastructure.credentials import Credentials
from dev.ports import PortBook
from dev.process import ProcessSpec

REGION = "us-east-1"
# Its buffers count for 230 MiB of heap although most are never touched: below 280 the collector runs all the time
# (4 times the CPU at start), without a limit 200 MB of uploads leave 500 MiB resident, with this one 240.
_GO_MEMORY_LIMIT = "320MiB"
# The worker inside finds its admin server at this distance from the HTTP port, whatever -admin.port.grpc says.
_ADMIN_GRPC_OFFSET = 10_000
_SECONDS = 2.0
_PROBE = ".ready"


@dataclasses.dataclass(frozen=True, slots=True)
class SeaweedPorts:
    """Every port that `weed mini` opens; all on 127.0.0.1."""

    s3: int
    s3_grpc: int
    master: int
    master_grpc: int
    volume: int
    volume_grpc: int
    filer: int
    filer_grpc: int
    admin: int

    @classmethod
    def given_by(cls, book: PortBook) -> SeaweedPorts:
        return cls(
            s3=book.port("seaweedfs.s3"),
            s3_grpc=book.port("seaweedfs.s3.grpc"),
            master=book.port("seaweedfs.master"),
            master_grpc=book.port("seaweedfs.master.grpc"),
            volume=book.port("seaweedfs.volume"),
            volume_grpc=book.port("seaweedfs.volume.grpc"),
            filer=book.port("seaweedfs.filer"),
            filer_grpc=book.port("seaweedfs.filer.grpc"),
            admin=book.port("seaweedfs.admin", also_free=_ADMIN_GRPC_OFFSET),
        )


def seaweed(
    directory: Path,
    ports: SeaweedPorts,
    credentials: Credentials,
    buckets: tuple[str, ...],
    environment: Mapping[str, str],
) -> ProcessSpec:
    """The store with its data in `directory`; ready once every bucket is there and an object was written and removed."""
    directory.mkdir(parents=True, exist_ok=True)
    key = credentials.seaweed_signing_key
    return ProcessSpec(
        name="seaweedfs",
        command=(
            str(weed_binary()),
            "mini",
            f"-dir={directory}",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            f"-s3.port={ports.s3}",
            f"-s3.port.grpc={ports.s3_grpc}",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            f"-master.port={ports.master}",
            f"-master.port.grpc={ports.master_grpc}",
            # With the old election state, one start in ten takes no writes for 5 to 19 s.
            "-master.resumeState=false",
            "-master.telemetry=false",
            f"-volume.port={ports.volume}",
            f"-volume.port.grpc={ports.volume_grpc}",
            "-volume.preStopSeconds=0",
            f"-filer.port={ports.filer}",
            f"-filer.port.grpc={ports.filer_grpc}",
            f"-admin.port={ports.admin}",
            f"-admin.port.grpc={ports.admin + _ADMIN_GRPC_OFFSET}",
            "-admin.ui=false",
            "-webdav=false",
        ),
        environment={
            **environment,
            "HOME": str(directory),
            "AWS_ACCESS_KEY_ID": credentials.s3_access_key,
            "AWS_SECRET_ACCESS_KEY": credentials.s3_secret_key,
            "GOMEMLIMIT": _GO_MEMORY_LIMIT,
            # The HTTP ports behind S3 know no users; with keys they want a token that only the process itself can make.
            "WEED_JWT_SIGNING_KEY": f"{key}.volume.write",
            "WEED_JWT_SIGNING_READ_KEY": f"{key}.volume.read",
            "WEED_JWT_FILER_SIGNING_KEY": f"{key}.filer.write",
            "WEED_JWT_FILER_SIGNING_READ_KEY": f"{key}.filer.read",
        },
        ready=lambda: asyncio.to_thread(_takes_objects, ports.s3, credentials, buckets),
        directory=directory,
    )


def remove_sockets(ports: SeaweedPorts) -> None:
    """Removes the Unix sockets that it leaves in /tmp, named after its ports."""
    numbers = {str(ports.admin + _ADMIN_GRPC_OFFSET)}
    numbers.update(str(port) for port in dataclasses.astuple(ports))
    for path in Path("/tmp").glob("seaweedfs-*.sock"):
        if path.stem.rpartition("-")[2] in numbers:
            path.unlink(missing_ok=True)


def _takes_objects(port: int, credentials: Credentials, buckets: tuple[str, ...]) -> bool:
    """Makes missing buckets, writes an object and removes it: listing works long before writing does."""
    # Imported here: the server can use the 0.3 s that it takes to start.
    import urllib3
    from minio import Minio
    from minio.error import MinioException

    connections = urllib3.PoolManager(timeout=urllib3.Timeout(total=_SECONDS), retries=False)
    client = Minio(
        f"127.0.0.1:{port}",
        credentials.s3_access_key,
        credentials.s3_secret_key,
        secure=False,
        region=REGION,
        http_client=connections,
    )
    try:
        for bucket in buckets:
            if not client.bucket_exists(bucket):
                client.make_bucket(bucket)
        client.put_object(buckets[0], _PROBE, io.BytesIO(b"."), 1)
        client.remove_object(buckets[0], _PROBE)
    except (MinioException, urllib3.exceptions.HTTPError) as error:
        raise ConnectionError(str(error)) from error
    finally:
        connections.clear()
    return True
