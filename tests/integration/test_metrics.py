"""Every service shows its figures at /metrics."""

from __future__ import annotations

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from dev.api_client import ApiClient
from dev.fleet import Fleet
from dev.grouping import SERVICES, variable
from tests.support.scripted_model import ScriptedModel

# What tells that a service works, beside the calls it serves.
OWN_FIGURES = {
    "gateway": {"http_request_seconds"},
    "orchestrator": {"events_published", "outbox_unpublished", "events_handled"},
    "ingestion": {"events_published", "outbox_unpublished", "events_handled"},
    "memory": {"events_handled", "summary_steps"},
    "trace": {"events_handled"},
}


async def figures(address: str) -> dict[str, float]:
    """Sums over all labels by sample name."""
    async with httpx.AsyncClient(trust_env=False, timeout=120) as http:
        answer = await http.get(f"http://{address}/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    sums: dict[str, float] = {}
    for family in text_string_to_metric_families(answer.text):
        sums.setdefault(family.name, 0.0)
        for sample in family.samples:
            sums[sample.name] = sums.get(sample.name, 0.0) + sample.value
    return sums


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_counts_the_calls_it_serves(
    fleet_with_model: Fleet, anybody: ApiClient, model: ScriptedModel, service: str
) -> None:
    address = fleet_with_model.environment[variable(service, "METRICS_LISTEN")]
    before = await figures(address)
    assert before.keys() >= {"rpc_server_seconds", *OWN_FIGURES.get(service, ())}
    if service in ("orchestrator", "memory", "agent-executor", "retrieval"):
        await anybody.ask("What is written about port 9001?")
        after = await figures(address)
        assert after["rpc_server_seconds_count"] > before.get("rpc_server_seconds_count", 0)


async def test_the_gateways_door_shows_its_figures_by_route_not_by_address(
    fleet_with_model: Fleet, anybody: ApiClient
) -> None:
    await anybody.http.get("/documents/some-id-or-other")
    async with httpx.AsyncClient(trust_env=False, timeout=120) as http:
        text = (await http.get(f"{fleet_with_model.base_url}/metrics")).text
    assert 'route="/api/v1/documents/{document_id}",status="404"' in text
    assert "some-id-or-other" not in text
