"""Which embedders the settings name, and what is refused at start."""

from __future__ import annotations

import json
from typing import Any

import pytest

from superagent_common.settings import load
from superagent_retrieval.domain.floors import Calibration
from superagent_retrieval.settings import Settings

NEEDED = {
    "RETRIEVAL_LISTEN": "127.0.0.1:0",
    "RETRIEVAL_DATABASE_URL": "sqlite:///catalogue.db",
    "RETRIEVAL_DATA_DIR": "data",
    "REDIS_URL": "redis://127.0.0.1:1",
    "GATEWAY_ADDRESS": "127.0.0.1:1",
    "KEYS_DIR": "keys",
}
BGE = {"model": "bge-m3", "api_base": "http://127.0.0.1:1/v1", "dimension": 1024}
SECRET = "s3cret"


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Any:
    def load_with(**values: str) -> Settings:
        for name, value in (NEEDED | values).items():
            monkeypatch.setenv(name, value)
        return load(Settings)

    return load_with


def test_further_embedders_stand_behind_the_chosen_one(loaded: Any) -> None:
    further = json.dumps([{**BGE, "api_key": SECRET, "calibration": {"vector_floor": 0.6}}])
    assert [endpoint.model for endpoint in loaded(RETRIEVAL_EMBEDDERS=further).endpoints] == ["bge-m3"]
    settings = loaded(
        EMBEDDING_MODEL="chosen",
        EMBEDDING_API_BASE="http://127.0.0.1:2",
        EMBEDDING_DIMENSION="3",
        RETRIEVAL_EMBEDDERS=further,
    )
    chosen, bge = settings.endpoints
    assert (chosen.model, chosen.dimension, bge.model, bge.dimension) == ("chosen", 3, "bge-m3", 1024)
    assert bge.calibration == Calibration(0.6)
    assert SECRET not in repr(settings)


@pytest.mark.parametrize(
    "embedders",
    [
        SECRET,
        "{}",
        json.dumps([{**BGE, "dimension": 0, "api_key": SECRET}]),
        json.dumps([{**BGE, "model": "", "api_key": SECRET}]),
        json.dumps([{**BGE, "api_token": SECRET}]),
        json.dumps([BGE, {**BGE, "api_key": SECRET}]),
        json.dumps([{**BGE, "model": "multilingual-e5-small-int8", "api_key": SECRET}]),
    ],
)
def test_embedders_that_cannot_be_are_refused_with_a_line_that_names_the_setting(
    loaded: Any, capsys: pytest.CaptureFixture[str], embedders: str
) -> None:
    with pytest.raises(SystemExit):
        loaded(RETRIEVAL_EMBEDDERS=embedders)
    said = capsys.readouterr().err
    assert "RETRIEVAL_EMBEDDERS" in said and SECRET not in said and len(said.splitlines()) == 1
