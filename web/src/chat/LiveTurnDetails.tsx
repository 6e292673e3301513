import { figuresOfTrace, type TurnFigures } from "@/turns/figures";
import { TurnDetails } from "@/turns/TurnDetails";
import { useTurn } from "@/turns/use-turn";
import type { TurnView } from "./turn-view";

/** How a turn of this conversation is or was answered: from its events while it runs, afterwards from its record. */
export default function LiveTurnDetails({ turn, isRunning }: { turn: TurnView; isRunning: boolean }) {
  const record = useTurn(isRunning ? "" : turn.turnId);
  const figures = record.data ? figuresOfTrace(record.data) : figuresOfView(turn);
  return <TurnDetails figures={figures} heading="h3" />;
}

function figuresOfView(turn: TurnView): TurnFigures {
  return {
    state: turn.phase === "failed" ? "FAILED" : turn.phase === "done" ? "COMPLETED" : "RUNNING",
    plan: turn.plan,
    stages: turn.stages,
    sources: turn.sources,
    retrievalMode: turn.retrievalMode,
    usage: turn.usage && {
      model: turn.usage.model,
      modelCalls: turn.usage.model_calls,
      toolCalls: turn.usage.tool_calls,
      inputTokens: turn.usage.input,
      outputTokens: turn.usage.output,
      cost: turn.usage.cost,
    },
    traceId: "",
  };
}
