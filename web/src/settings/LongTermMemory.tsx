import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { App, Button, Input, Skeleton, Switch } from "antd";
import { type FormEvent, useState } from "react";
import { Link } from "react-router";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { useFormats } from "@/shared/time";
import { useFailureToast } from "@/shared/use-failure-toast";
import { type PersonalMemory, useForgetting, useMemoryChange, usePersonalMemory } from "./queries";
import { settingsStrings } from "./strings";

const LONGEST_ITEM = 300;

/** What is remembered of the person across conversations: on or off, what it is, and forgetting it. */
export function LongTermMemory() {
  const t = useStrings(settingsStrings);
  const memory = usePersonalMemory();
  return (
    <section className="setting" aria-labelledby="long-term-memory">
      <h2 id="long-term-memory">{t.memory}</h2>
      <p className="setting-text">{t.memoryText}</p>
      {memory.isPending && <Skeleton active title={false} />}
      {memory.error && !memory.data && <ProblemNotice error={memory.error} onRetry={() => void memory.refetch()} />}
      {memory.data && (
        <>
          <Enabled isOn={memory.data.enabled} />
          <Adding />
          <Items items={memory.data.items} />
        </>
      )}
    </section>
  );
}

function Enabled({ isOn }: { isOn: boolean }) {
  const t = useStrings(settingsStrings);
  const failed = useFailureToast();
  const change = useMemoryChange();
  return (
    <>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch inside is a button */}
      <label className="setting-switch">
        <Switch
          checked={isOn}
          loading={change.isPending}
          aria-label={t.enabled}
          onChange={(enabled) => change.mutate({ enabled }, { onError: failed })}
        />
        <span>{t.enabled}</span>
      </label>
      {!isOn && <p className="setting-text">{t.off}</p>}
    </>
  );
}

function Adding() {
  const t = useStrings(settingsStrings);
  const failed = useFailureToast();
  const change = useMemoryChange();
  const [text, setText] = useState("");
  const wanted = text.trim();

  // Emptied at once, for who types the next one before the server has answered.
  async function add(event: FormEvent) {
    event.preventDefault();
    if (!wanted) return;
    setText("");
    try {
      await change.mutateAsync({ add: wanted });
    } catch (error) {
      setText((typed) => typed || wanted);
      failed(error);
    }
  }

  return (
    <form className="memory-adding" onSubmit={add}>
      <Input
        value={text}
        maxLength={LONGEST_ITEM}
        placeholder={t.addHint}
        aria-label={t.addLabel}
        onChange={(event) => setText(event.target.value)}
      />
      <Button icon={<PlusOutlined aria-hidden />} htmlType="submit" disabled={!wanted}>
        {t.add}
      </Button>
    </form>
  );
}

function Items({ items }: { items: PersonalMemory["items"] }) {
  const t = useStrings(settingsStrings);
  const shared = useStrings(sharedStrings);
  const f = useFormats();
  const { modal, message } = App.useApp();
  const failed = useFailureToast();
  const forgetting = useForgetting();
  if (items.length === 0) return <p className="setting-text">{t.none}</p>;

  async function forget(itemId: string | null) {
    try {
      await forgetting.mutateAsync(itemId);
      void message.success(t.forgotten);
    } catch (error) {
      failed(error);
    }
  }

  return (
    <>
      <ul className="memory-items" aria-label={t.list}>
        {items.map(({ item_id: id, text, conversation_id: conversationId, created_at: at }) => (
          <li key={id}>
            <div>
              <p>{text}</p>
              <small>
                {at && t.remembered(f.time(at))}
                {conversationId && (
                  <>
                    {" · "}
                    <Link to={`/chat/${conversationId}`}>{t.fromConversation}</Link>
                  </>
                )}
              </small>
            </div>
            <Button
              type="text"
              icon={<DeleteOutlined aria-hidden />}
              aria-label={t.forget(text)}
              disabled={forgetting.isPending}
              onClick={() => void forget(id)}
            />
          </li>
        ))}
      </ul>
      <Button
        danger
        onClick={() =>
          modal.confirm({
            title: t.forgetAllTitle,
            content: t.forgetAllText(items.length),
            okText: t.forgetAllOk,
            okButtonProps: { danger: true },
            cancelText: shared.cancel,
            autoFocusButton: "cancel",
            onOk: () => forget(null),
          })
        }
      >
        {t.forgetAll}
      </Button>
    </>
  );
}
