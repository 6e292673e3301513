"""The API's description of itself."""

from __future__ import annotations

import re

import pytest

from services.gateway.tests.gateway_rig import Rig


async def test_the_description_is_openapi_3_1_and_says_what_is_true(rig: Rig) -> None:
    document = (await rig.http.get("/openapi.json")).json()
    assert document["openapi"].startswith("3.1")
    schemas = document["components"]["schemas"]
    assert not {"HTTPValidationError", "ValidationError"} & set(schemas)
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert "422" not in operation["responses"], path
            assert operation["description"], path
            if path.startswith("/api/"):
                assert "application/problem+json" in operation["responses"]["default"]["content"], path
    referenced = set(re.findall(r'"#/components/schemas/(\w+)"', (await rig.http.get("/openapi.json")).text))
    assert referenced <= set(schemas)
    chat = document["paths"]["/api/v1/chat"]["post"]["responses"]["200"]["content"]
    assert chat == {"text/event-stream": {"schema": {"$ref": "#/components/schemas/TurnEvent"}}}
    assert schemas["ChatBody"]["properties"]["message"]["maxLength"] == 32_000
    assert "next_cursor" in schemas["DocumentsAnswer"]["required"]
    assert "failure" not in schemas["DocumentAnswer"]["required"]


@pytest.mark.parametrize("part", ["/api/v1/uploads/{upload_id}/parts/{n}", "DocumentAnswer"])
async def test_the_description_has_a_page_that_loads_nothing(rig: Rig, part: str) -> None:
    answer = await rig.http.get("/docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert part in answer.text
    assert not re.search(r"<(script|link|img|iframe)\b|(?:src|url)\s*[=(]", answer.text)
