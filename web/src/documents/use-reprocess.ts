import { App } from "antd";
import { asProblem } from "@/api/problem";
import { useLanguage, useStrings } from "@/shared/language";
import { wordsFor } from "@/shared/problem-words";
import { sharedStrings } from "@/shared/strings";
import type { Document } from "./following";
import { useReprocessing } from "./queries";
import { documentStrings } from "./strings";

/** Whether the person may have a document processed again now. */
export function mayReprocess({ mine, state }: Document): boolean {
  return mine && (state === "READY" || state === "FAILED");
}

/** Asks whether to process a document again and has it done. */
export function useReprocess(): (document: Document) => void {
  const t = useStrings(documentStrings);
  const shared = useStrings(sharedStrings);
  const language = useLanguage();
  const { modal, message } = App.useApp();
  const reprocessing = useReprocessing();
  return (document) => {
    modal.confirm({
      title: t.reprocessTitle(document.title),
      content: document.answering ? t.reprocessAnswering : t.reprocessFailed,
      okText: t.reprocess,
      cancelText: shared.cancel,
      onOk: async () => {
        try {
          await reprocessing.mutateAsync(document.id);
        } catch (error) {
          message.error(wordsFor(asProblem(error), language));
          return;
        }
        message.success(t.reprocessBegun);
      },
    });
  };
}
