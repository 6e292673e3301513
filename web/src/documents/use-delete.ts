import { App } from "antd";
import { asProblem } from "@/api/problem";
import { useLanguage, useStrings } from "@/shared/language";
import { wordsFor } from "@/shared/problem-words";
import { sharedStrings } from "@/shared/strings";
import type { Document } from "./following";
import { useDeletion } from "./queries";
import { documentStrings } from "./strings";

/** Asks whether to delete a document, deletes it and says how it went. */
export function useDelete(onDeleted?: () => void): (document: Document) => void {
  const t = useStrings(documentStrings);
  const shared = useStrings(sharedStrings);
  const language = useLanguage();
  const { modal, message } = App.useApp();
  const deletion = useDeletion();
  return (document) => {
    modal.confirm({
      title: t.deleteTitle(document.title),
      content: t.deleteText,
      okText: shared.delete,
      okButtonProps: { danger: true },
      cancelText: shared.cancel,
      autoFocusButton: "cancel",
      onOk: async () => {
        try {
          await deletion.mutateAsync(document);
        } catch (error) {
          message.error(wordsFor(asProblem(error), language));
          return;
        }
        message.success(t.deleted(document.title));
        onDeleted?.();
      },
    });
  };
}
