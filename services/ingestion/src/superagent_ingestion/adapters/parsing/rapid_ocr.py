"""Text recognition by RapidOCR, the extra `ocr`; its wheel brings the models, for Chinese and English."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from io import BytesIO
from typing import Any

from superagent_ingestion.adapters.parsing.recognition import Line, Recognised

# Nothing is downloaded and nothing drawn; one thread, as all parsers have; memory goes back after each picture.
_PARAMETERS = {
    "Global.log_level": "error",
    "Global.text_score": 0.5,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    "EngineConfig.onnxruntime.enable_cpu_mem_arena": False,
    # A page of 150 dots an inch; more takes time and finds nothing more.
    "Det.limit_type": "max",
    "Det.limit_side_len": 1280,
}

# Below it a page is tried upside down, too.
_CERTAIN = 0.8


class RapidOcr:
    """A `Recogniser`. Loads its models, about 400 MB, with the first picture; `loading` is called just before."""

    def __init__(self, loading: Callable[[], None]) -> None:
        self._loading = loading
        self._engine: Any = None

    @property
    def name(self) -> str:
        return f"rapidocr {version('rapidocr')}"

    def read(self, picture: bytes) -> Recognised:
        if self._engine is None:
            self._loading()
            from rapidocr import RapidOCR

            self._engine = RapidOCR(params=_PARAMETERS)
        import numpy
        from PIL import Image

        pixels = numpy.asarray(Image.open(BytesIO(picture)).convert("RGB"))
        upright = self._turned(pixels, 0)
        turns = _other_turns(upright.lines)
        return max([upright, *(self._turned(pixels, quarter) for quarter in turns)], key=_certainty)

    def _turned(self, pixels: Any, quarters: int) -> Recognised:
        import numpy

        turned = numpy.ascontiguousarray(numpy.rot90(pixels, quarters)[..., ::-1])
        # Without its own turning of single lines, which would hide that the page stands on its head.
        found = self._engine(turned, use_cls=False)
        if found.boxes is None:
            return Recognised((), turned.shape[0])
        return Recognised(
            [
                Line(
                    text=str(text),
                    confidence=float(score),
                    left=float(box[:, 0].min()),
                    top=float(box[:, 1].min()),
                    right=float(box[:, 0].max()),
                    bottom=float(box[:, 1].max()),
                    size=float(numpy.hypot(*(box[3] - box[0]))),
                )
                for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
            ],
            turned.shape[0],
        )


def _other_turns(lines: Sequence[Line]) -> tuple[int, ...]:
    """By how many quarters a page may have to be turned: lines that stand upright, or that nobody can read."""
    total = sum(len(line.text) for line in lines)
    standing = sum(len(line.text) for line in lines if line.height > 2 * (line.right - line.left))
    if standing > total / 2:
        return (1, 3)
    certain = sum(len(line.text) * line.confidence for line in lines)
    return (2,) if certain < _CERTAIN * total else ()


def _certainty(found: Recognised) -> float:
    """Of the characters in lines that lie, for those that stand are read by turning them once more."""
    return sum(
        len(line.text) * line.confidence**2 for line in found.lines if line.height <= 2 * (line.right - line.left)
    )
