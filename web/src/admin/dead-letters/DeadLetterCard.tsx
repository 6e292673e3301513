import { DeleteOutlined, RedoOutlined } from "@ant-design/icons";
import { App, Button } from "antd";
import { Link } from "react-router";
import { CopyButton } from "@/shared/CopyButton";
import { Fact } from "@/shared/Fact";
import { useLanguage, useStrings } from "@/shared/language";
import { causeOf } from "@/shared/problem-words";
import { sharedStrings } from "@/shared/strings";
import { useFormats } from "@/shared/time";
import { useFailureToast } from "@/shared/use-failure-toast";
import { linkOf } from "./letters";
import { type DeadLetter, useDiscarding, useRedelivery } from "./queries";
import { deadLetterStrings } from "./strings";

export function DeadLetterCard({ letter }: { letter: DeadLetter }) {
  const t = useStrings(deadLetterStrings);
  const shared = useStrings(sharedStrings);
  const language = useLanguage();
  const formats = useFormats();
  const failed = useFailureToast();
  const { message, modal } = App.useApp();
  const redelivery = useRedelivery();
  const discarding = useDiscarding();
  const { attempts, event_id, failed_at, key, payload, reason, topic } = letter;
  const what = `${topic} ${key}`;
  const link = linkOf(letter);
  const content = JSON.stringify(payload, null, 2);

  function discard() {
    modal.confirm({
      title: t.discardTitle,
      content: t.discardText,
      okText: t.discard,
      okButtonProps: { danger: true },
      cancelText: shared.cancel,
      autoFocusButton: "cancel",
      onOk: async () => {
        try {
          await discarding.mutateAsync(letter);
        } catch (error) {
          failed(error);
          return;
        }
        message.success(t.discarded);
      },
    });
  }

  return (
    <li className="card">
      <div className="card-head letter-head">
        <h2 className="letter-reason">
          {causeOf(reason, language)} <code className="code">{reason}</code>
        </h2>
        <span className="card-actions letter-actions">
          <Button
            size="small"
            icon={<RedoOutlined aria-hidden />}
            aria-label={t.redeliverOf(what)}
            loading={redelivery.isPending}
            onClick={() =>
              redelivery.mutate(letter, { onSuccess: () => message.success(t.redelivered), onError: failed })
            }
          >
            {t.redeliver}
          </Button>
          <Button
            size="small"
            danger
            icon={<DeleteOutlined aria-hidden />}
            aria-label={t.discardOf(what)}
            onClick={discard}
          >
            {t.discard}
          </Button>
        </span>
      </div>
      <dl className="facts facts-row">
        <Fact name={t.topic}>{topic}</Fact>
        <Fact name={t.key}>{link ? <Link to={link}>{key}</Link> : key}</Fact>
        <Fact name={t.failedAt}>
          {formats.time(failed_at)} · {t.attempts(attempts)}
        </Fact>
        <Fact name={t.eventId}>{event_id}</Fact>
      </dl>
      {payload === null ? (
        <p className="soft">{t.unreadable}</p>
      ) : (
        <details className="letter-payload">
          <summary>{t.payload}</summary>
          <div>
            <CopyButton text={content} label={shared.copyCode} />
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse */}
            <pre tabIndex={0}>{content}</pre>
          </div>
        </details>
      )}
    </li>
  );
}
