import { Tag } from "antd";
import type { Schemas } from "@/api/client";
import { Fact } from "@/shared/Fact";
import { useLanguage, useStrings } from "@/shared/language";
import { wordsForReason } from "@/shared/problem-words";
import { useFormats } from "@/shared/time";
import { reasonInWords } from "./reason-words";
import { plannerName, turnStrings } from "./strings";
import { useNames } from "./use-names";
import "./turns.css";

/** What was decided, and why. */
export default function PlanView({ plan }: { plan: Schemas["ExecutionPlan"] }) {
  const t = useStrings(turnStrings);
  const f = useFormats();
  const language = useLanguage();
  const names = useNames();
  const { planner, rewrite, sub_questions: subQuestions } = plan;
  return (
    <dl className="turn-facts">
      <Fact name={t.question}>{plan.original_question}</Fact>
      <Fact name={t.rewritten}>
        {rewrite.applied ? <strong>{plan.rewritten_question}</strong> : <span className="soft">{t.notRewritten}</span>}
        {rewrite.reason && <small>{reasonInWords(rewrite.reason, language)}</small>}
      </Fact>
      {subQuestions.length > 1 && (
        <Fact name={t.subQuestions}>
          <ol className="sub-questions">
            {subQuestions.map((question) => (
              <li key={question.index}>
                {question.text}
                {question.depends_on.length > 0 && <small>{t.dependsOn(question.depends_on.join(", "))}</small>}
                {question.domains.length > 0 && <small>{question.domains.map(names.domain).join(", ")}</small>}
              </li>
            ))}
          </ol>
        </Fact>
      )}
      {plan.use_knowledge && (
        <Fact name={t.domains}>
          {plan.knowledge_domains.length > 0
            ? plan.knowledge_domains.map((domain) => <Tag key={domain}>{names.domain(domain)}</Tag>)
            : t.allDomains}
        </Fact>
      )}
      {plan.skills.length > 0 && (
        <Fact name={t.skills}>
          {plan.skills.map((skill) => (
            <div key={skill.code}>
              <Tag>{names.skill(skill.code)}</Tag>
              <small>{reasonInWords(skill.reason, language)}</small>
            </div>
          ))}
        </Fact>
      )}
      <Fact name={t.planner}>
        {plannerName(t, planner.kind)}
        {planner.model && ` · ${planner.model}`}
        {planner.confidence > 0 && ` · ${t.confidence} ${f.percent(planner.confidence)}`}
      </Fact>
      {planner.reason && <Fact name={t.why}>{reasonInWords(planner.reason, language)}</Fact>}
      {planner.fallback_cause && (
        <Fact name={t.fallback}>{wordsForReason(planner.fallback_cause, planner.fallback_cause, language)}</Fact>
      )}
    </dl>
  );
}
