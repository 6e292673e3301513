"""Objects in an S3 store."""

from __future__ import annotations

import asyncio
import hashlib
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO, TypeVar
from urllib.parse import urlsplit

import urllib3
from minio import Minio
from minio.commonconfig import ComposeSource, CopySource
from minio.deleteobjects import DeleteObject
from minio.error import MinioException, S3Error
from opentelemetry.trace import SpanKind

from superagent_common.errors import NotFound, Unavailable
from superagent_common.telemetry import Telemetry

_READ_BYTES = 256 * 1024
_CONNECT_SECONDS, _READ_SECONDS = 3.0, 120.0
_QUICK_SECONDS = 15.0
"""Only where the store itself moves a large content is an answer long in coming: one that hangs must not keep people
waiting for minutes."""
_PUT_TIME = timedelta(minutes=10)

PARTS_PER_COMPOSE = 1_000
"""ING-2; of 5 MiB they stay below the 5 GiB that S3 copies at once."""

T = TypeVar("T")


class MinioObjectStore:
    """`ObjectStore` on any S3; calls run in threads."""

    def __init__(
        self,
        endpoint: str,
        access_key: str,
        secret_key: str,
        bucket: str,
        telemetry: Telemetry,
        *,
        parts_per_compose: int = PARTS_PER_COMPOSE,
        quick_seconds: float = _QUICK_SECONDS,
    ) -> None:
        """`endpoint` is a URL, for example http://127.0.0.1:9000; more parts are composed in segments.

        Whatever neither composes, copies nor puts a whole is given up when nothing comes within twice `quick_seconds`.
        """
        parts = urlsplit(endpoint)

        def client(pool: urllib3.PoolManager) -> Minio:
            return Minio(
                parts.netloc,
                access_key=access_key,
                secret_key=secret_key,
                secure=parts.scheme == "https",
                http_client=pool,
                region="us-east-1",
            )

        self._client = client(_pool(_READ_SECONDS, tries=3))
        self._quick_pool = _pool(quick_seconds, tries=2)
        self._quick = client(self._quick_pool)
        self._bucket = bucket
        self._parts_per_compose = parts_per_compose
        self._telemetry = telemetry

    async def ensure_bucket(self) -> None:
        """Makes the bucket when it is missing."""

        def ensure() -> None:
            if not self._quick.bucket_exists(self._bucket):
                self._quick.make_bucket(self._bucket)

        await self._call("ensure_bucket", ensure)

    async def put(self, key: str, content: bytes) -> None:
        await self._call("put", lambda: self._client.put_object(self._bucket, key, io.BytesIO(content), len(content)))

    async def get(self, key: str) -> bytes:
        return await self._call("get", lambda: self._read(key, 0, 0))

    async def compose(self, key: str, parts: Sequence[str], scratch: str) -> None:
        await self._call("compose", lambda: self._compose(key, parts, scratch))

    async def put_from(self, key: str, file: BinaryIO, size: int) -> None:
        def put() -> None:
            # The client's own way takes the whole file into memory to sign it.
            url = self._quick.get_presigned_url("PUT", self._bucket, key, expires=_PUT_TIME)
            answer = self._quick_pool.request("PUT", url, body=file, headers={"content-length": str(size)})
            if answer.status != 200:
                raise Unavailable("object_store_refused", "The object store refused the request.")

        await self._call("put", put)

    async def put_file(self, key: str, path: Path) -> None:
        await self._call("put", lambda: self._client.fput_object(self._bucket, key, str(path)))

    async def give_up(self, key: str) -> None:
        def give_up() -> None:
            # Private, for want of a public way; its parts are copies that take as much room as the whole.
            for unfinished in self._quick._list_multipart_uploads(self._bucket, prefix=key).uploads:
                if unfinished.object_name == key and unfinished.upload_id:
                    self._quick._abort_multipart_upload(self._bucket, key, unfinished.upload_id)

        await self._call("give_up", give_up)

    async def copy(self, source: str, key: str) -> None:
        await self._call("copy", lambda: self._client.copy_object(self._bucket, key, CopySource(self._bucket, source)))

    async def size(self, key: str) -> int | None:
        try:
            stored = await self._call("stat", lambda: self._quick.stat_object(self._bucket, key))
        except NotFound:
            return None
        return stored.size

    async def sizes(self, prefix: str) -> Mapping[str, int]:
        def sizes() -> dict[str, int]:
            found = self._quick.list_objects(self._bucket, prefix, recursive=True)
            return {item.object_name: item.size or 0 for item in found if item.object_name and not item.is_dir}

        return await self._call("list", sizes)

    async def read(self, key: str, start: int, end: int) -> bytes:
        return await self._call("get", lambda: self._read(key, start, end - start))

    async def fetch(self, key: str, path: Path) -> str:
        def fetch() -> str:
            digest = hashlib.sha256()
            answer = self._quick.get_object(self._bucket, key)
            try:
                with path.open("wb") as file:
                    for chunk in answer.stream(_READ_BYTES):
                        digest.update(chunk)
                        file.write(chunk)
            finally:
                answer.close()
                answer.release_conn()
            return digest.hexdigest()

        return await self._call("get", fetch)

    async def remove(self, keys: Iterable[str]) -> None:
        await self._call("remove", lambda: self._remove(keys))

    def _compose(self, key: str, parts: Sequence[str], scratch: str) -> None:
        if len(parts) > self._parts_per_compose:
            firsts = range(0, len(parts), self._parts_per_compose)
            segments = [f"{scratch}segment-{number:04d}" for number in range(len(firsts))]
            for segment, first in zip(segments, firsts, strict=True):
                self._compose(segment, parts[first : first + self._parts_per_compose], scratch)
            self._compose(key, segments, f"{scratch}segment-")
            self._remove(segments)
            return
        match parts:
            case []:
                self._client.put_object(self._bucket, key, io.BytesIO(b""), 0)
            case [only]:
                self._client.copy_object(self._bucket, key, CopySource(self._bucket, only))
            case _:
                sources = [ComposeSource(self._bucket, part) for part in parts]
                self._client.compose_object(self._bucket, key, sources)

    def _read(self, key: str, start: int, length: int) -> bytes:
        """Length 0 reads up to the end."""
        answer = self._quick.get_object(self._bucket, key, start, length)
        try:
            return answer.read()
        finally:
            answer.close()
            answer.release_conn()

    def _remove(self, keys: Iterable[str]) -> None:
        doomed = [DeleteObject(key) for key in keys]
        for error in self._quick.remove_objects(self._bucket, doomed):
            if error.code != "NoSuchKey":
                raise Unavailable("object_store_refused", "The object store did not remove a file.")

    async def _call(self, operation: str, call: Callable[[], T]) -> T:
        with self._telemetry.span(f"s3 {operation}", SpanKind.CLIENT, {"rpc.system": "aws-api"}):
            try:
                return await asyncio.to_thread(call)
            except S3Error as error:
                if error.code in ("NoSuchKey", "NoSuchBucket"):
                    raise NotFound("unknown_object", "The stored file is gone.") from error
                raise Unavailable("object_store_refused", "The object store refused the request.") from error
            except (MinioException, urllib3.exceptions.HTTPError, OSError) as error:
                raise Unavailable("object_store_unavailable", "The object store does not answer.") from error


def _pool(read_seconds: float, *, tries: int) -> urllib3.PoolManager:
    """Connections on which an answer may take so long; what fails on the way is tried so often."""
    return urllib3.PoolManager(
        timeout=urllib3.Timeout(connect=_CONNECT_SECONDS, read=read_seconds),
        retries=urllib3.Retry(total=2, read=tries - 1, backoff_factor=0.2, status_forcelist=[500, 502, 503, 504]),
        maxsize=16,
    )
