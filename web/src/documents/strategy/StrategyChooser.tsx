import { Radio, Tag } from "antd";
import { useLanguage, useStrings } from "@/shared/language";
import { strategyExplained, strategyWords } from "./strategies";
import { strategyStrings } from "./strings";

interface StrategyChooserProps {
  strategies: readonly string[];
  recommended: string;
  /** How the document is cut now; empty while it is not. */
  current: string;
  value: string;
  onChange: (strategy: string) => void;
}

export function StrategyChooser({ strategies, recommended, current, value, onChange }: StrategyChooserProps) {
  const t = useStrings(strategyStrings);
  const language = useLanguage();
  return (
    <Radio.Group
      className="strategy-choices"
      aria-label={t.choose}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {strategies.map((strategy) => (
        <Radio key={strategy} value={strategy}>
          <span className="strategy-choice">
            <span>
              <strong className="strategy-name">{strategyWords(strategy, language)}</strong>{" "}
              {strategy === recommended && <Tag color="success">{t.recommended}</Tag>}
              {strategy === current && <Tag>{t.current}</Tag>}
            </span>
            <span className="is-soft small-print">{strategyExplained(strategy, language)}</span>
          </span>
        </Radio>
      ))}
    </Radio.Group>
  );
}
