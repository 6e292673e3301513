"""Which parts of an upload are there: a map for a quick look, rows, and the object store; each is rebuilt from the others.

A part counts when its row is there. The map may forget and be away; what it lost is taken from the rows. A lost row is
found again in the object store, whose keys tell number and hash; a lost object takes its row along, so that the part is
asked for again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import BinaryIO

from superagent_common.errors import Conflict, ServiceError, Unavailable
from superagent_common.logging import Logger
from superagent_ingestion.domain.uploads import UPLOADS_FOLDER, Upload, part_key, parts_of, parts_prefix, upload_of
from superagent_ingestion.ports import ObjectStore, PartMap, UploadStore


class Parts:
    """Parts of uploads that are not completed."""

    def __init__(self, rows: UploadStore, objects: ObjectStore, part_map: PartMap, log: Logger) -> None:
        self._rows = rows
        self._objects = objects
        self._map = part_map
        self._log = log

    async def begin(self, upload: Upload) -> None:
        """Says that there are none yet."""
        with contextlib.suppress(Unavailable):
            await self._map.write(upload.upload_id, (), ())

    async def received(self, upload: Upload) -> list[int]:
        """Numbers of the parts that are there, in order."""
        if upload.completed:
            return list(range(upload.parts_total))
        try:
            known = await self._map.read(upload.upload_id)
        except Unavailable:
            return sorted(await self._rows.parts(upload.upload_id))
        return sorted(known if known is not None else await self._rebuilt(upload))

    async def held(self, upload: Upload, number: int) -> str | None:
        """The hash of a part that is there."""
        digest = await self._rows.part(upload.upload_id, number)
        if digest or upload.completed or number not in await self.received(upload):
            return digest
        # Its row is lost, the map knows better.
        return (await self.verified(upload)).get(number)

    async def take(self, upload: Upload, number: int, sha256: str, file: BinaryIO) -> list[int]:
        """Keeps a part, and gives the numbers of all that are there. Raises Conflict when it is there with other bytes."""
        key = part_key(upload.upload_id, number, sha256)
        await self._objects.put_from(key, file, upload.part_size(number))
        if await self._rows.add_part(upload.upload_id, number, sha256) != sha256:
            await self._objects.remove([key])
            raise part_differs(number)
        return await self.note(upload, number)

    async def note(self, upload: Upload, number: int) -> list[int]:
        """Enters a part whose row is there into the map, and gives the numbers of all that are there."""
        with contextlib.suppress(Unavailable):
            known = await self._map.add(upload.upload_id, number)
            if known is not None:
                return sorted(known)
            return sorted(await self._rebuilt(upload))
        return sorted(await self._rows.parts(upload.upload_id))

    async def verified(self, upload: Upload) -> dict[int, str]:
        """Hashes of the parts that truly lie in the object store, by number; rows and map agree with it afterwards."""
        # Rows first: a part whose row was seen had its object before, so that it is in the list unless it is lost.
        rows = await self._rows.parts(upload.upload_id)
        stored = parts_of(await self._objects.sizes(parts_prefix(upload.upload_id)), upload)
        kept = {number: digest for number, digest in rows.items() if digest in stored.get(number, ())}
        lost = sorted(rows.keys() - kept.keys())
        if lost:
            await self._rows.drop_parts(upload.upload_id, lost)
        for number, digests in stored.items():
            # Of two that claim to be the same part nobody knows which was accepted: it is asked for again.
            if number not in rows and len(digests) == 1:
                kept[number] = await self._rows.add_part(upload.upload_id, number, *digests)
        if lost or kept.keys() != rows.keys():
            self._log.warning("parts_rebuilt", upload_id=upload.upload_id, lost=len(lost), found=len(kept))
        with contextlib.suppress(Unavailable):
            await self._map.write(upload.upload_id, kept, [n for n in range(upload.parts_total) if n not in kept])
        return kept

    async def forget(self, upload: Upload, keys: Iterable[str]) -> None:
        """Removes the objects of these keys, and what the map holds; what came beside them, `sweep` finds."""
        await self._objects.remove(keys)
        with contextlib.suppress(Unavailable):
            await self._map.forget(upload.upload_id)

    async def sweep(self) -> None:
        """Removes parts whose upload is completed or forgotten: whoever was to remove them died."""
        kept: dict[str, list[str]] = {}
        for key in await self._objects.sizes(UPLOADS_FOLDER):
            kept.setdefault(upload_of(key), []).append(key)
        for upload_id in kept.keys() - await self._rows.open(kept):
            await self._objects.remove(kept[upload_id])

    async def _rebuilt(self, upload: Upload) -> list[int]:
        try:
            return sorted(await self.verified(upload))
        except ServiceError as error:
            self._log.warning("parts_not_verified", upload_id=upload.upload_id, reason=error.reason)
            return sorted(await self._rows.parts(upload.upload_id))


def part_differs(number: int) -> Conflict:
    """The refusal of other bytes for a part."""
    return Conflict("part_differs", f"Part {number} is there already, with other bytes.")
