import { Tooltip } from "antd";
import { useStrings } from "@/shared/language";
import type { Fate } from "./hits";
import { retrievalStrings } from "./strings";

/** What became of a hit or a candidate; why it is no passage opens on hover and on focus. */
export function FateView({ fate }: { fate: Fate }) {
  const t = useStrings(retrievalStrings);
  if (fate.kind === "shown") return <span className="fate is-shown">{t.shownAs(fate.citation)}</span>;
  return (
    <Tooltip title={t.reasonTexts(fate.reason)} trigger={["hover", "focus"]}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the explanation opens on focus too */}
      <span className="fate is-out" tabIndex={0}>
        {t.reasons(fate.reason)}
      </span>
    </Tooltip>
  );
}
