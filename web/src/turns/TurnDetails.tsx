import { Tag, Typography } from "antd";
import type { ReactNode } from "react";
import { useStrings } from "@/shared/language";
import { Evidence } from "./Evidence";
import type { TurnFigures } from "./figures";
import PlanView from "./PlanView";
import { modeName, retrievalName, stateName, turnStrings } from "./strings";
import { Timeline } from "./Timeline";
import { UsageView } from "./UsageView";
import "./turns.css";

const STATE_COLOURS = { COMPLETED: "success", FAILED: "error", CANCELLED: "warning", RUNNING: "processing" } as const;

/** Of its sections: one below that of what they stand in. */
type Heading = "h2" | "h3";

/** How a turn was answered: decision, stages, evidence, what it used. */
export function TurnDetails({ figures, heading }: { figures: TurnFigures; heading: Heading }) {
  const t = useStrings(turnStrings);
  const { plan, state, retrievalMode, stages, sources, traceId } = figures;
  return (
    <div className="turn-details">
      <p className="turn-tags">
        <Tag color={state === "UNSPECIFIED" ? undefined : STATE_COLOURS[state]}>{stateName(t, state)}</Tag>
        {plan && <Tag>{modeName(t, plan.mode)}</Tag>}
        {retrievalMode !== "UNSPECIFIED" && (
          <Tag>
            {t.searchMode}: {retrievalName(t, retrievalMode)}
          </Tag>
        )}
      </p>
      <Section heading={heading} title={t.plan}>
        {plan ? <PlanView plan={plan} /> : <p className="soft">{t.noPlan}</p>}
      </Section>
      <Section heading={heading} title={t.timeline}>
        <Timeline stages={stages} />
      </Section>
      <Section heading={heading} title={t.evidence}>
        <Evidence sources={sources} />
      </Section>
      <Section heading={heading} title={t.usage}>
        <UsageView figures={figures} />
      </Section>
      {traceId && (
        <p className="trace-id">
          <span>{t.traceId}</span>
          <Typography.Text code copyable={{ text: traceId, tooltips: [t.copyTraceId, t.copyTraceId] }}>
            {traceId}
          </Typography.Text>
        </p>
      )}
    </div>
  );
}

function Section({ title, heading: Title, children }: { title: string; heading: Heading; children: ReactNode }) {
  return (
    <section>
      <Title className="turn-heading">{title}</Title>
      {children}
    </section>
  );
}
