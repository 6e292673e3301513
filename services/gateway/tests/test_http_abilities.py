"""/skills and /tools over HTTP."""

from __future__ import annotations

import pytest

from services.gateway.tests.gateway_rig import ANNA, Rig
from services.gateway.tests.test_http_problems import assert_problem
from superagent.agent_executor.v1 import agent_executor_pb2 as pb
from superagent_common.errors import Unavailable


async def test_skills_and_tools_are_listed(rig: Rig) -> None:
    rig.executor.answers = {
        "ListSkills": pb.ListSkillsResponse(
            skills=[pb.Skill(code="product", name="产品 / Product", description="What we sell.", keywords=["price"])]
        ),
        "ListTools": pb.ListToolsResponse(tools=[pb.Tool(name="calculate", description="Reckons.", risk="read")]),
    }
    skills = await rig.http.get("/api/v1/skills", headers=rig.as_())
    assert skills.json() == {"skills": [{"code": "product", "name": "产品 / Product", "description": "What we sell."}]}
    tools = await rig.http.get("/api/v1/tools", headers=rig.as_())
    assert tools.json() == {"tools": [{"name": "calculate", "description": "Reckons.", "risk": "read"}]}
    assert [identity and identity.principal for identity in rig.executor.identities] == [ANNA, ANNA]


@pytest.mark.parametrize(("path", "method"), [("skills", "ListSkills"), ("tools", "ListTools")])
async def test_without_the_executor_there_is_a_problem_and_not_an_empty_list(rig: Rig, path: str, method: str) -> None:
    rig.executor.answers[method] = Unavailable("agent_executor_unavailable")
    answer = await rig.http.get(f"/api/v1/{path}", headers=rig.as_())
    assert_problem(answer, 503, "agent_executor_unavailable")
