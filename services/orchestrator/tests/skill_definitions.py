"""Skills as the executor lists them, for tests of planning."""

from __future__ import annotations

from superagent_orchestrator.domain.planning.proposal import SkillDefinition


def skill(
    code: str,
    *keywords: str,
    domains: tuple[str, ...] = (),
    tools: tuple[str, ...] = (),
    fallback: bool = False,
) -> SkillDefinition:
    return SkillDefinition(
        code, code.replace("-", " "), "", f"Questions of {code}.", keywords, domains, tools, fallback
    )


SKILLS = (
    skill("customer-service", "客服", "排障", "收不到", "投诉", "complaint", "troubleshoot", "cannot receive"),
    skill("group-operations", "建群", "群", "群聊", "group chat", tools=("current_time",)),
    skill("administration", "审批", "行政", "印章", "会议室", "meeting room", "approval", domains=("hr",)),
    skill("product", "退款", "套餐", "定价", "refund", "pricing", domains=("product",)),
    skill("risk-control", "风控", "风险", "合规", "封禁", "fraud", "compliance", domains=("security",)),
    skill("ai-assistant", "RAG", "提示词", "上下文", "AI", "prompt", "context window", fallback=True),
)
