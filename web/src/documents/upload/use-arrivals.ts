import { App } from "antd";
import { useEffect, useRef } from "react";
import { useStrings } from "@/shared/language";
import { useListAgain } from "../queries";
import { documentStrings } from "../strings";
import { uploads, useUploads } from "./uploads";

/** Says which uploads became documents and reads the list again. Those that took no time stay in the tray to be seen. */
export function useArrivals(): void {
  const t = useStrings(documentStrings);
  const { message } = App.useApp();
  const items = useUploads();
  const listAgain = useListAgain();
  const said = useRef(new Set<string>());

  useEffect(() => {
    for (const { id, name, uploaded } of items) {
      if (!uploaded || said.current.has(id)) continue;
      said.current.add(id);
      if (!uploaded.instant) {
        uploads.dismiss(id);
        // One after the other in one place: a hundred files are no hundred toasts.
        void message.success({ key: "uploaded", content: t.uploadedToast(name) });
      }
      listAgain();
    }
  }, [items, listAgain, message, t]);

  useEffect(() => () => uploads.dismissArrived(), []);
}
