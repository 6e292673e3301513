"""What is said where nothing was found (EXEC-3): that the documents do not hold it, or only that it was not found when a
part of the search did not answer; and what was searched."""

from __future__ import annotations

from collections.abc import Sequence

from superagent_agent_executor.domain.citations import unmarked
from superagent_agent_executor.domain.evidence import PARTIAL, Finding
from superagent_agent_executor.domain.plan import Language
from superagent_agent_executor.domain.texts import say


def nothing_found(findings: Sequence[Finding], language: Language) -> str:
    """The whole answer when no sub-question has evidence."""
    searched = [finding for finding in findings if not finding.failure]
    lines = [_nothing(searched, language)]
    lines.append(say("searched", language, questions=" / ".join(_searched_by(finding) for finding in searched)))
    lines += _domains(searched, language)
    lines += [
        say("not_searched_question", language, question=unmarked(finding.question.text))
        for finding in findings
        if finding.failure
    ]
    return "\n\n".join(lines)


def nothing_found_for(finding: Finding, language: Language) -> str:
    """The part of an answer for one of several sub-questions, under its number."""
    lines = [f"{finding.question.index}. **{unmarked(finding.question.text)}**"]
    if finding.failure:
        lines.append(say("not_searched", language))
    else:
        lines.append(_nothing([finding], language))
        if finding.searched:
            lines.append(say("searched", language, questions=_searched_by(finding)))
        lines += _domains([finding], language)
    return "\n\n".join(lines)


def _nothing(searched: Sequence[Finding], language: Language) -> str:
    partial = any(finding.mode in PARTIAL for finding in searched)
    return say("no_evidence_partial" if partial else "no_evidence", language)


def _searched_by(finding: Finding) -> str:
    return unmarked(finding.searched or finding.question.text)


def _domains(findings: Sequence[Finding], language: Language) -> list[str]:
    """Where was searched; nothing when that was everywhere."""
    if any(finding.widened or not finding.question.domains for finding in findings):
        return []
    domains = dict.fromkeys(domain for finding in findings for domain in finding.question.domains)
    return [say("searched_in", language, domains=", ".join(domains))] if domains else []
