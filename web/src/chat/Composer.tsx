import { ArrowUpOutlined, FolderOpenOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button, Input, type InputRef, Select } from "antd";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { answerOf, api } from "@/api/client";
import { useStrings } from "@/shared/language";
import { chatStrings } from "./strings";

interface ComposerProps {
  value: string;
  onChange: (value: string) => void;
  domains: readonly string[];
  onDomains: (domains: readonly string[]) => void;
  onSend: (question: string) => void;
  /** Set while a turn runs. */
  onStop: (() => void) | null;
  /** Closes what stands beside the conversation. */
  onClose: () => void;
  /** The conversation: changing it puts the focus into the input. */
  place: string;
}

/** What the server takes as one question, in characters as people count them. */
const LONGEST_QUESTION = 32_000;
const HAS_KEYBOARD = window.matchMedia("(hover: hover)").matches;
/** What an input method sends with the Enter that picks a word. */
const COMPOSING_KEY = 229;

/** Where questions are typed. Enter sends, Shift+Enter breaks the line, Esc stops or closes; picking a word sends nothing. */
export function Composer({ value, onChange, domains, onDomains, onSend, onStop, onClose, place }: ComposerProps) {
  const t = useStrings(chatStrings);
  const input = useRef<InputRef>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: going to another conversation moves the focus
  useEffect(() => {
    // On a phone its keyboard would cover what one came to read.
    if (HAS_KEYBOARD) input.current?.focus({ cursor: "end" });
  }, [place]);

  const question = value.trim();
  // Counting characters reads the text; what has few units cannot have many of them.
  const length = question.length > LONGEST_QUESTION ? [...question].length : 0;
  const tooLong = length > LONGEST_QUESTION;

  function submit() {
    if (question && !tooLong && !onStop) onSend(question);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || event.keyCode === COMPOSING_KEY) return;
    if (event.key === "Escape") (onStop ?? onClose)();
    if (event.key !== "Enter" || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    submit();
  }

  return (
    <div className="composer">
      <Input.TextArea
        ref={input}
        variant="borderless"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        placeholder={HAS_KEYBOARD ? t.placeholder : t.placeholderTouch}
        aria-label={t.question}
        autoSize={{ minRows: 1, maxRows: 8 }}
      />
      {tooLong && (
        <p className="composer-too-long" role="alert">
          {t.questionTooLong(length, LONGEST_QUESTION)}
        </p>
      )}
      <div className="composer-footer">
        <DomainChoice chosen={domains} onChange={onDomains} />
        {onStop ? (
          <Button
            shape="circle"
            icon={<span className="stop-mark" />}
            aria-label={t.stop}
            title={t.stop}
            onClick={onStop}
          />
        ) : (
          <Button
            type="primary"
            shape="circle"
            icon={<ArrowUpOutlined aria-hidden />}
            aria-label={t.send}
            title={t.send}
            disabled={!question || tooLong}
            onClick={submit}
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
  if (named.length < 2) return <span />;
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
