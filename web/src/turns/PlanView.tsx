import { Tag } from "antd";
import type { ReactNode } from "react";
import type { Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import { plannerName, turnStrings } from "./strings";

/** What was decided, and why. */
export function PlanView({ plan }: { plan: Schemas["ExecutionPlan"] }) {
  const t = useStrings(turnStrings);
  const f = useFormats();
  const { planner, rewrite, sub_questions: subQuestions } = plan;
  return (
    <dl className="facts">
      <Fact name={t.question}>{plan.original_question}</Fact>
      <Fact name={t.rewritten}>
        {rewrite.applied ? <strong>{plan.rewritten_question}</strong> : <span className="soft">{t.notRewritten}</span>}
        {rewrite.reason && <small>{rewrite.reason}</small>}
      </Fact>
      {subQuestions.length > 1 && (
        <Fact name={t.subQuestions}>
          <ol className="sub-questions">
            {subQuestions.map((question) => (
              <li key={question.index}>
                {question.text}
                {question.depends_on.length > 0 && <small>{t.dependsOn(question.depends_on.join(", "))}</small>}
                {question.domains.length > 0 && <small>{question.domains.join(", ")}</small>}
              </li>
            ))}
          </ol>
        </Fact>
      )}
      {plan.use_knowledge && (
        <Fact name={t.domains}>
          {plan.knowledge_domains.length > 0
            ? plan.knowledge_domains.map((domain) => <Tag key={domain}>{domain}</Tag>)
            : t.allDomains}
        </Fact>
      )}
      {plan.skills.length > 0 && (
        <Fact name={t.skills}>
          {plan.skills.map((skill) => (
            <div key={skill.code}>
              <Tag>{skill.code}</Tag>
              <small>{skill.reason}</small>
            </div>
          ))}
        </Fact>
      )}
      <Fact name={t.planner}>
        {plannerName(t, planner.kind)}
        {planner.model && ` · ${planner.model}`}
        {planner.confidence > 0 && ` · ${t.confidence} ${f.percent(planner.confidence)}`}
      </Fact>
      {planner.reason && <Fact name={t.why}>{planner.reason}</Fact>}
      {planner.fallback_cause && <Fact name={t.fallback}>{planner.fallback_cause}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
