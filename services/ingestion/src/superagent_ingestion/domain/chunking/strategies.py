"""The four ways of cutting, and how they combine (ING-8)."""

from __future__ import annotations

from typing import Literal

Step = Literal["structure", "recursive", "semantic", "model"]

DEFAULT_STRATEGY = "structure+recursive"
STRATEGIES: dict[str, tuple[Step, ...]] = {
    DEFAULT_STRATEGY: ("structure", "recursive"),
    "recursive": ("recursive",),
    "structure+recursive+semantic": ("structure", "recursive", "semantic"),
    "recursive+semantic": ("recursive", "semantic"),
    "model+recursive": ("model", "recursive"),
}
"""Name → steps. structure: a section begins a chunk. recursive: sizes are kept by cutting at headings, else paragraphs,
lines, sentences, words. semantic: of the places that the sizes allow, the one with the deepest change of topic is taken.
model: as semantic, where a language model says that a topic begins."""
