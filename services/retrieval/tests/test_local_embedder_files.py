"""Reading the weights and making the model files."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from superagent_retrieval.adapters.local_embedder import model_files
from superagent_retrieval.adapters.local_embedder.embedder import bundled_weights
from superagent_retrieval.adapters.local_embedder.make import make
from superagent_retrieval.adapters.local_embedder.model import E5Model
from superagent_retrieval.adapters.local_embedder.model_files import (
    ModelNotMade,
    made_model_directory,
    making_lock,
    model_directory,
)
from superagent_retrieval.adapters.local_embedder.weights import E5Weights, UnreadableWeights

_MAKE = [sys.executable, "-m", "superagent_retrieval.adapters.local_embedder.make"]


def test_a_block_is_its_nibbles_less_eight_times_its_scale(e5_weights: E5Weights) -> None:
    tensor = e5_weights._tensors["l3.q.w"]
    data = bundled_weights().read_bytes()[tensor.offset : tensor.offset + 18]
    scale, packed = struct.unpack("<e16s", data)
    expected = [((byte & 15) - 8) * scale for byte in packed] + [((byte >> 4) - 8) * scale for byte in packed]
    matrix = e5_weights.matrix("l3.q.w")
    assert matrix.shape == (384, 384)
    np.testing.assert_allclose(matrix[0, :32], expected, rtol=1e-6)


def test_the_second_feed_forward_weight_takes_the_wide_side(e5_weights: E5Weights) -> None:
    assert e5_weights.matrix("l0.fo.w").shape == (384, 1536)
    assert e5_weights.matrix("l0.fi.w").shape == (1536, 384)


@pytest.mark.parametrize("size", [0, 3, 40, 100_000, 4_638_000, 60_000_000])
def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, size: int) -> None:
    short = tmp_path / "weights.bin"
    with bundled_weights().open("rb") as whole:
        short.write_bytes(whole.read(size))
    with pytest.raises(UnreadableWeights, match=r"weights\.bin"):
        E5Weights(short)


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(b"GGUF" + bytes(4096))
    with pytest.raises(UnreadableWeights, match="E5S1"):
        E5Weights(other)


def test_other_weights_have_another_directory(tmp_path: Path, e5_weights: E5Weights) -> None:
    data = bytearray(bundled_weights().read_bytes())
    data[-1] ^= 1
    (tmp_path / "other.bin").write_bytes(data)
    assert model_directory(E5Weights(tmp_path / "other.bin"), tmp_path) != model_directory(e5_weights, tmp_path)


def test_two_starters_at_once_make_the_files_once(tmp_path: Path, e5_weights: E5Weights) -> None:
    command = [*_MAKE, str(e5_weights.path), str(tmp_path)]
    with making_lock(tmp_path):
        starters = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
        assert not model_directory(e5_weights, tmp_path).exists()
    # A second making would fail at its rename: a directory that is not empty is never replaced.
    for starter in starters:
        _, words = starter.communicate(timeout=300)
        assert starter.returncode == 0, words.decode()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        model_directory(e5_weights, tmp_path).name,
        "multilingual-e5-small-int8.lock",
    ]


def test_what_a_killed_maker_left_is_replaced(tmp_path: Path, e5_weights: E5Weights) -> None:
    left = tmp_path / "multilingual-e5-small-int8.unfinished"
    left.mkdir()
    (left / "encoder.onnx").write_bytes(b"half of")
    directory = make(e5_weights, tmp_path)
    assert not left.exists()
    assert E5Model.load(e5_weights, directory).encode("query: ").shape == (384,)


def test_made_files_are_used_again(
    e5_weights: E5Weights, embedder_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_files.subprocess, "run", lambda *_, **__: pytest.fail("made again"))
    assert made_model_directory(e5_weights, embedder_cache) == model_directory(e5_weights, embedder_cache)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, e5_weights: E5Weights) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelNotMade, match=r"NotADirectoryError|FileExistsError"):
        made_model_directory(e5_weights, tmp_path / "file")
