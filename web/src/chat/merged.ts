/** The turns of a conversation as they are shown: those stored and those followed here, each in its place. Pure. */
import { isOver, saysSomething, type TurnView } from "./turn-view";

/** Stored turns in their order, each as it is followed here if it is; then those not stored yet. */
export function merged(stored: readonly TurnView[], live: readonly TurnView[]): readonly TurnView[] {
  const byId = new Map(live.map((turn) => [turn.turnId, turn]));
  const ids = new Set(stored.map(({ turnId }) => turnId));
  const newest = stored.at(-1)?.turnId ?? "";
  const unstored = live.filter((turn) => !ids.has(turn.turnId) && !isReplacedElsewhere(turn, newest));
  return inPlace([...stored.map((turn) => byId.get(turn.turnId) ?? turn), ...unstored]);
}

/** Ids grow with time: an ended turn that memory lacks beside a newer one has been replaced. */
function isReplacedElsewhere(turn: TurnView, newest: string): boolean {
  return turn.turnId !== "" && isOver(turn) && turn.turnId < newest;
}

/** Each turn that replaces another in its place, once it says something; until then the other is kept with it. */
function inPlace(turns: readonly TurnView[]): TurnView[] {
  const replaced = new Set(turns.filter(saysSomething).map(({ replaces }) => replaces));
  const shown: TurnView[] = [];
  for (const turn of turns.filter(({ turnId }) => turnId === "" || !replaced.has(turnId))) {
    const at = turn.replaces ? shown.findIndex(({ turnId }) => turnId === turn.replaces) : -1;
    const former = shown[at];
    if (!former || saysSomething(turn)) shown.push(turn);
    else if (isOver(turn)) shown[at] = { ...former, again: { question: turn.question, failure: turn.failure } };
    else shown[at] = { ...turn, former };
  }
  return shown;
}
