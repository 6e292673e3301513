import { Skeleton } from "antd";
import { lazy, Suspense, useState } from "react";
import type { Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { modeName, turnStrings } from "@/turns/strings";
import { useNames } from "@/turns/use-names";
import { chatStrings } from "./strings";
import type { TurnView } from "./turn-view";

const PlanView = lazy(() => import("@/turns/PlanView"));

interface PlanLineProps {
  turn: TurnView;
  plan: Schemas["ExecutionPlan"] | null;
  /** Whether a plan may still come. */
  isPending: boolean;
  onOpen: () => void;
}

/** What was decided, in one line that opens into the whole plan. */
export function PlanLine({ turn, plan, isPending, onOpen }: PlanLineProps) {
  const words = useStrings(turnStrings);
  const [open, setOpen] = useState(false);
  const mode = plan?.mode ?? turn.mode;
  if (mode === "UNSPECIFIED") return null;
  return (
    <details
      className="plan-line"
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
        if (currentTarget.open) onOpen();
      }}
    >
      <summary>
        <span>{modeName(words, mode)}</span>
        {plan && <Decisions plan={plan} />}
      </summary>
      {open &&
        (plan ? (
          <Suspense fallback={<Skeleton active title={false} />}>
            <PlanView plan={plan} />
          </Suspense>
        ) : isPending ? (
          <Skeleton active title={false} />
        ) : (
          <p className="soft">{words.noPlan}</p>
        ))}
    </details>
  );
}

function Decisions({ plan }: { plan: Schemas["ExecutionPlan"] }) {
  const t = useStrings(chatStrings);
  const names = useNames();
  const { planner, skills, knowledge_domains: domains, sub_questions: subQuestions } = plan;
  const parts = [
    t.plannedBy(planner.kind),
    ...(subQuestions.length > 1 ? [t.subQuestions(subQuestions.length)] : []),
    ...(plan.use_knowledge ? domains.map(names.domain) : []),
    ...skills.map(({ code }) => names.skill(code)),
  ];
  return parts.filter(Boolean).map((part) => <span key={part}>{part}</span>);
}
