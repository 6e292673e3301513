import { App, Button } from "antd";
import { useNavigate } from "react-router";
import { asProblem } from "@/api/problem";
import { useLanguage, useStrings } from "@/shared/language";
import { wordsFor } from "@/shared/problem-words";
import { sharedStrings } from "@/shared/strings";
import type { Document } from "../following";
import { useStrategyChoice } from "../queries";
import { isSettled } from "../state-words";
import { isHeld } from "../waiting";
import { strategyWords } from "./strategies";
import { strategyStrings } from "./strings";

/** Lets the person confirm a strategy, or cut the document again with it; otherwise says why that is not possible. */
export function Decision({ document, strategy }: { document: Document; strategy: string }) {
  const t = useStrings(strategyStrings);
  const shared = useStrings(sharedStrings);
  const language = useLanguage();
  const navigate = useNavigate();
  const { message, modal } = App.useApp();
  const choice = useStrategyChoice(document.id);

  async function decide(done: string): Promise<void> {
    try {
      await choice.mutateAsync(strategy);
    } catch (error) {
      message.error(wordsFor(asProblem(error), language));
      return;
    }
    message.success(done);
    void navigate(`/documents/${document.id}`);
  }

  if (isHeld(document)) {
    return (
      <Button type="primary" block loading={choice.isPending} onClick={() => void decide(t.confirmed)}>
        {t.confirm}
      </Button>
    );
  }
  if (!isSettled(document.state)) return <p className="is-soft">{t.isBusy}</p>;
  if (document.state === "READY" && strategy === document.strategy) return <p className="is-soft">{t.isCurrent}</p>;
  return (
    <Button
      type="primary"
      block
      onClick={() =>
        modal.confirm({
          title: t.cutAgainTitle(strategyWords(strategy, language)),
          content: document.answering ? t.cutAgainText : undefined,
          okText: t.cutAgain,
          cancelText: shared.cancel,
          onOk: () => decide(t.cutAgainBegun),
        })
      }
    >
      {t.cutAgain}
    </Button>
  );
}
