import { Alert } from "antd";
import { useSyncExternalStore } from "react";
import { useStrings } from "@/shared/language";
import { appStrings } from "./strings";

function subscribe(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

/** Says that the network is gone for as long as it is. */
export function OfflineBanner() {
  const t = useStrings(appStrings);
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return isOnline ? null : <Alert banner showIcon type="warning" role="status" title={t.offline} />;
}
