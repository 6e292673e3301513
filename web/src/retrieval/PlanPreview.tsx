import { Skeleton, Tag } from "antd";
import { useState } from "react";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import PlanView from "@/turns/PlanView";
import { modeName, turnStrings } from "@/turns/strings";
import type { Asked } from "./asking";
import { usePlanPreview } from "./queries";
import { retrievalStrings } from "./strings";

/** What the chat would decide about the question; made when it is opened, for a model may have to be asked. */
export function PlanPreview({ asked }: { asked: Asked }) {
  const t = useStrings(retrievalStrings);
  const words = useStrings(turnStrings);
  const [open, setOpen] = useState(false);
  const preview = usePlanPreview(asked, open);
  const plan = preview.data?.plan;
  return (
    <details className="plan-preview" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>{t.plan}</h2>
      </summary>
      <p className="is-soft">{t.planHint}</p>
      {preview.isError && <ProblemNotice error={preview.error} onRetry={() => void preview.refetch()} />}
      {open && preview.isPending && <Skeleton active title={false} />}
      {plan && (
        <>
          <Tag>{modeName(words, plan.mode)}</Tag>
          <PlanView plan={plan} />
        </>
      )}
    </details>
  );
}
