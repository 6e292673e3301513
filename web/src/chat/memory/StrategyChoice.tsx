import { BulbOutlined } from "@ant-design/icons";
import { Select } from "antd";
import { useStrings } from "@/shared/language";
import { type Strategy, useStrategies } from "./strategies";
import { memoryStrings } from "./strings";

interface StrategyChoiceProps {
  chosen: Strategy;
  onChange: (strategy: Strategy) => void;
}

/** How a conversation that is about to begin shall remember. */
export function StrategyChoice({ chosen, onChange }: StrategyChoiceProps) {
  const t = useStrings(memoryStrings);
  return (
    <Select<Strategy>
      variant="borderless"
      size="small"
      className="strategy-choice"
      aria-label={t.strategy}
      prefix={<BulbOutlined aria-hidden />}
      value={chosen}
      onChange={onChange}
      popupMatchSelectWidth={300}
      options={useStrategies().map(({ value, title, text }) => ({ value, label: t.remembers(title), title: "", text }))}
      optionRender={({ label, data }) => (
        <span className="strategy-option">
          {label}
          <small>{data.text}</small>
        </span>
      )}
    />
  );
}
