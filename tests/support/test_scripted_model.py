import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.support.scripted_model import Failure, Gate, Reply, Rule, ScriptedModel

QUESTION = {"model": "any", "messages": [{"role": "user", "content": "how long is the leave?"}]}


@pytest.fixture
async def client(scripted_model: ScriptedModel) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=scripted_model.base_url, timeout=60) as client:
        yield client


async def test_the_first_rule_whose_conditions_all_hold_replies(
    scripted_model: ScriptedModel, client: httpx.AsyncClient
) -> None:
    scripted_model.answer_with(
        Rule(Reply(text="wrong purpose"), user="leave", purpose="plan"),
        Rule(Reply(text="wrong text"), user="salary"),
        Rule(Reply(text="ten days"), user="leave", purpose="answer"),
        default=Reply(text="nothing holds"),
    )
    headers = {"x-superagent-purpose": "answer"}
    answer = (await client.post("/chat/completions", json=QUESTION, headers=headers)).json()
    assert answer["choices"][0]["message"]["content"] == "ten days"
    other = (await client.post("/chat/completions", json=QUESTION)).json()
    assert other["choices"][0]["message"]["content"] == "nothing holds"


async def test_a_rule_with_times_stops_applying(scripted_model: ScriptedModel, client: httpx.AsyncClient) -> None:
    scripted_model.answer_with(Rule(Reply(failure=Failure("status", status=503)), times=2))
    statuses = [(await client.post("/chat/completions", json=QUESTION)).status_code for _ in range(3)]
    assert statuses == [503, 503, 200]


async def test_text_is_cut_into_the_asked_number_of_deltas(
    scripted_model: ScriptedModel, client: httpx.AsyncClient
) -> None:
    text = "年假为十天, ten days." * 10
    scripted_model.answer_with(default=Reply(text=text, deltas=100))
    response = await client.post("/chat/completions", json={**QUESTION, "stream": True})
    events = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    pieces = [json.loads(event)["choices"][0]["delta"].get("content", "") for event in events[:-1]]
    assert len([piece for piece in pieces if piece]) == 100
    assert "".join(pieces) == text


async def test_a_gate_holds_what_follows_it_until_it_is_opened(
    scripted_model: ScriptedModel, client: httpx.AsyncClient
) -> None:
    gate = Gate(after_deltas=2)
    scripted_model.answer_with(default=Reply(text="abcdefgh", deltas=4, held_by=gate))
    heard = ""
    async with client.stream("POST", "/chat/completions", json={**QUESTION, "stream": True}) as response:
        async for line in response.aiter_lines():
            event = json.loads(line[6:]) if line.startswith("data: {") else {"choices": []}
            heard += "".join(choice["delta"].get("content", "") for choice in event["choices"])
            if not gate.opened.is_set() and heard == "abcd":
                gate.open()
    assert heard == "abcdefgh"
    assert gate.opened.is_set()


async def test_an_answer_that_nobody_waits_for_at_its_gate_is_over(
    scripted_model: ScriptedModel, client: httpx.AsyncClient
) -> None:
    scripted_model.answer_with(default=Reply(text="never heard", held_by=Gate()))
    async with client.stream("POST", "/chat/completions", json={**QUESTION, "stream": True}) as response:
        assert response.status_code == 200
    async with asyncio.timeout(120):
        await scripted_model.requests[-1].ended.wait()
    assert scripted_model.requests[-1].outcome == "client_closed"


async def test_it_is_scripted_and_looked_at_over_http(client: httpx.AsyncClient) -> None:
    root = str(client.base_url)[: -len("v1/")]
    script = {"rules": [{"user": "leave", "reply": {"text": "scripted over HTTP", "usage": [3, 4]}}]}
    assert (await client.post(f"{root}_script", json=script)).status_code == 200
    answer = (await client.post("/chat/completions", json=QUESTION, headers={"authorization": "Bearer k"})).json()
    assert answer["choices"][0]["message"]["content"] == "scripted over HTTP"
    assert answer["usage"] == {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    (seen,) = (await client.get(f"{root}_requests")).json()["requests"]
    assert seen["body"] == QUESTION
    assert seen["outcome"] == "finished"
    assert seen["headers"]["authorization"] == "***"


async def test_an_unknown_field_in_a_script_is_refused(client: httpx.AsyncClient) -> None:
    root = str(client.base_url)[: -len("v1/")]
    response = await client.post(f"{root}_script", json={"rules": [{"reply": {"txet": "typo"}}]})
    assert response.status_code == 400
    assert "txet" in response.text


async def test_delays_pass_before_the_first_and_between_deltas(
    scripted_model: ScriptedModel, client: httpx.AsyncClient
) -> None:
    scripted_model.answer_with(default=Reply(text="abcd", deltas=4, first_delay_seconds=0.1, delay_seconds=0.05))
    started = time.monotonic()
    await client.post("/chat/completions", json={**QUESTION, "stream": True})
    assert time.monotonic() - started >= 0.1 + 4 * 0.05


async def test_embeddings_of_alike_texts_are_near_and_of_length_one(client: httpx.AsyncClient) -> None:
    texts = ["年假天数的规定", "年假天数怎么规定", "database index tuning"]
    answer = (await client.post("/embeddings", json={"model": "any", "input": texts, "dimensions": 256})).json()
    first, second, third = (item["embedding"] for item in answer["data"])

    def cosine(left: list[float], right: list[float]) -> float:
        return sum(a * b for a, b in zip(left, right, strict=True))

    assert len(first) == 256
    assert cosine(first, first) == pytest.approx(1.0)
    assert cosine(first, second) > 0.5 > cosine(first, third)


async def test_embeddings_fail_on_demand(scripted_model: ScriptedModel, client: httpx.AsyncClient) -> None:
    failing = Rule(Reply(failure=Failure("status", status=500)), endpoint="embeddings", user="poison")
    scripted_model.answer_with(failing)
    statuses = [
        (await client.post("/embeddings", json={"model": "any", "input": text})).status_code
        for text in ("fine", "with poison in it")
    ]
    assert statuses == [200, 500]


async def test_models_are_listed_and_unknown_routes_are_404(client: httpx.AsyncClient) -> None:
    assert (await client.get("/models")).json()["data"][0]["id"] == "scripted"
    assert (await client.get("/nothing")).status_code == 404


async def test_it_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"default": {"text": "from another process"}}))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.support.scripted_model",
        "--script",
        str(script),
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    try:
        assert process.stdout is not None
        base_url = (await process.stdout.readline()).decode().strip()
        async with httpx.AsyncClient(base_url=base_url, timeout=60) as client:
            answer = (await client.post("/chat/completions", json=QUESTION)).json()
        assert answer["choices"][0]["message"]["content"] == "from another process"
    finally:
        process.terminate()
        assert await process.wait() == 0
