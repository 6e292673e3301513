import { ArrowUpOutlined, FolderOpenOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button, Input, type InputRef, Select } from "antd";
import { type ClipboardEvent, type KeyboardEvent, type MouseEvent, useEffect, useRef } from "react";
import { answerOf, api } from "@/api/client";
import { picksWord, sends } from "@/shared/keys";
import { useStrings } from "@/shared/language";
import { StrategyChoice } from "./memory/StrategyChoice";
import type { Strategy } from "./memory/strategies";
import { chatStrings } from "./strings";
import { LONGEST_QUESTION, lengthIfTooLong } from "./typing";

interface ComposerProps {
  value: string;
  onChange: (value: string) => void;
  domains: readonly string[];
  onDomains: (domains: readonly string[]) => void;
  /** How a conversation that is about to begin shall remember; null once there is one. */
  strategy: Strategy | null;
  onStrategy: (strategy: Strategy) => void;
  onSend: (question: string) => void;
  /** Set while a turn runs. */
  onStop: (() => void) | null;
  /** Closes what stands beside the conversation. */
  onClose: () => void;
  /** Takes files that are pasted. */
  onFiles: (files: readonly File[]) => void;
  /** Changing it puts the focus into the input: another conversation, an answer that is made anew. */
  place: string;
}

const HAS_KEYBOARD = window.matchMedia("(hover: hover)").matches;

/** Where questions are typed. Enter sends, Shift+Enter breaks the line, Esc stops or closes; picking a word sends nothing. */
export function Composer(props: ComposerProps) {
  const { value, onChange, domains, onDomains, strategy, onStrategy, onSend, onStop, onClose, onFiles, place } = props;
  const t = useStrings(chatStrings);
  const input = useRef<InputRef>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: going to another conversation moves the focus
  useEffect(() => {
    // On a phone its keyboard would cover what one came to read.
    if (HAS_KEYBOARD) input.current?.focus({ cursor: "end" });
  }, [place]);

  const question = value.trim();
  const tooLong = lengthIfTooLong(question);

  function submit() {
    if (question && tooLong === null && !onStop) onSend(question);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape" && !picksWord(event)) (onStop ?? onClose)();
    if (!sends(event)) return;
    event.preventDefault();
    submit();
  }

  function onPaste(event: ClipboardEvent) {
    const { files, types } = event.clipboardData;
    // Office programs add a picture of the text that they copy.
    if (files.length === 0 || types.includes("text/plain")) return;
    event.preventDefault();
    onFiles([...files]);
  }

  function press(event: MouseEvent) {
    // The second half of a double click meets the button that has taken the place of the first.
    if (event.detail > 1) return;
    if (!onStop) return submit();
    onStop();
    if (HAS_KEYBOARD) input.current?.focus();
  }

  return (
    <div className="composer">
      <Input.TextArea
        ref={input}
        variant="borderless"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        placeholder={HAS_KEYBOARD ? t.placeholder : t.placeholderTouch}
        aria-label={t.question}
        autoSize={{ minRows: 1, maxRows: 8 }}
      />
      {tooLong !== null && (
        <p className="composer-too-long" role="alert">
          {t.questionTooLong(tooLong, LONGEST_QUESTION)}
        </p>
      )}
      <div className="composer-footer">
        <div className="composer-choices">
          <DomainChoice chosen={domains} onChange={onDomains} />
          {strategy && <StrategyChoice chosen={strategy} onChange={onStrategy} />}
        </div>
        {onStop ? (
          <Button
            shape="circle"
            icon={<span className="stop-mark" />}
            aria-label={t.stop}
            title={t.stop}
            onClick={press}
          />
        ) : (
          <Button
            type="primary"
            shape="circle"
            icon={<ArrowUpOutlined aria-hidden />}
            aria-label={t.send}
            title={t.send}
            disabled={!question || tooLong !== null}
            onClick={press}
          />
        )}
      </div>
    </div>
  );
}

/** The knowledge domains to stay in; shown when there is something to choose. */
function DomainChoice({ chosen, onChange }: { chosen: readonly string[]; onChange: ComposerProps["onDomains"] }) {
  const t = useStrings(chatStrings);
  const known = useQuery({ queryKey: ["domains"], queryFn: () => answerOf(api.GET("/api/v1/domains")) }).data?.domains;
  const named = known?.filter(({ code }) => code) ?? [];
  if (named.length < 2) return null;
  return (
    <Select
      mode="multiple"
      variant="borderless"
      size="small"
      className="domain-choice"
      aria-label={t.domains}
      prefix={<FolderOpenOutlined aria-hidden />}
      placeholder={t.allDomains}
      maxTagCount="responsive"
      value={[...chosen]}
      onChange={onChange}
      optionFilterProp="label"
      popupMatchSelectWidth={240}
      options={named.map(({ code, name }) => ({ value: code, label: name || code }))}
    />
  );
}
