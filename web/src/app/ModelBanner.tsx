import { Alert } from "antd";
import { useState } from "react";
import { useAbout } from "@/api/about";
import { useStrings } from "@/shared/language";
import { appStrings } from "./strings";

const KEY = "superagent.no-model-seen";

/** Says that answers are only quotes as long as no language model is configured. */
export function ModelBanner() {
  const t = useStrings(appStrings);
  const about = useAbout();
  const [seen, setSeen] = useState(() => sessionStorage.getItem(KEY) !== null);
  if (seen || about?.model.configured !== false) return null;
  return (
    <Alert
      banner
      showIcon
      type="warning"
      role="status"
      className="model-banner"
      title={
        <>
          <strong>{t.noModelTitle}</strong> {t.noModelText}
        </>
      }
      closable={{ "aria-label": t.dismiss }}
      onClose={() => {
        sessionStorage.setItem(KEY, "1");
        setSeen(true);
      }}
    />
  );
}
