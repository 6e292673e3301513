import { CompressOutlined, ReloadOutlined } from "@ant-design/icons";
import { Button, Radio, Skeleton } from "antd";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { useFormats } from "@/shared/time";
import { useFailureToast } from "@/shared/use-failure-toast";
import { type Conversation, useChange } from "../conversations";
import { useCompression, useMemory } from "./queries";
import { useStrategies } from "./strategies";
import { memoryStrings } from "./strings";
import "./memory.css";

/** How a conversation remembers, and what it has kept of its older turns. */
export default function MemoryPanel({ conversation }: { conversation: Conversation }) {
  return (
    <div className="memory">
      <Strategy conversation={conversation} />
      <Kept conversationId={conversation.conversation_id} />
    </div>
  );
}

function Strategy({ conversation }: { conversation: Conversation }) {
  const t = useStrings(memoryStrings);
  const failed = useFailureToast();
  const change = useChange();
  const { conversation_id: id, memory_strategy: strategy } = conversation;
  const choices = useStrategies();
  return (
    <section>
      <h3 id="memory-strategy">{t.strategy}</h3>
      <Radio.Group
        aria-labelledby="memory-strategy"
        className="memory-strategies"
        value={change.isPending ? change.variables.change.memory_strategy : strategy}
        disabled={change.isPending}
        onChange={({ target }) => change.mutate({ id, change: { memory_strategy: target.value } }, { onError: failed })}
      >
        {choices.map(({ value, title, text }) => (
          <Radio key={value} value={value}>
            <span>{title}</span>
            <small>{text}</small>
          </Radio>
        ))}
      </Radio.Group>
    </section>
  );
}

function Kept({ conversationId }: { conversationId: string }) {
  const t = useStrings(memoryStrings);
  const f = useFormats();
  const memory = useMemory(conversationId);
  const { text, error, hasEnded, compress } = useCompression(conversationId);
  const isBusy = text !== null;
  const kept = memory.data;
  const hasSummary = kept !== undefined && kept.turns_covered > 0;
  const about = hasSummary && [
    t.covers(kept.turns_covered),
    ...(kept.updated_at ? [t.updated(f.time(kept.updated_at))] : []),
  ];
  return (
    <section>
      <h3>{t.summaryTitle}</h3>
      {memory.error && !kept && <ProblemNotice error={memory.error} onRetry={() => void memory.refetch()} />}
      {memory.isPending && <Skeleton active title={false} />}
      <div className="memory-summary" aria-busy={isBusy}>
        {isBusy ? (
          <p>{text || <span className="soft">{t.compressing}</span>}</p>
        ) : hasSummary ? (
          <p>{kept.summary}</p>
        ) : (
          kept && <p className="soft">{t.noSummary}</p>
        )}
      </div>
      {about && !isBusy && <p className="memory-about">{about.join(" · ")}</p>}
      {hasSummary && !isBusy && kept.facts.length > 0 && (
        <>
          <h4>{t.facts}</h4>
          <ul className="memory-facts">
            {kept.facts.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
        </>
      )}
      {error !== null && <ProblemNotice error={error} onRetry={() => void compress(false)} />}
      <p className="memory-ended" role="status">
        {isBusy ? t.compressing : hasEnded ? (hasSummary ? t.compressed : t.nothingToCompress) : ""}
      </p>
      <div className="memory-buttons">
        <Button icon={<CompressOutlined aria-hidden />} loading={isBusy} onClick={() => void compress(false)}>
          {t.compress}
        </Button>
        {hasSummary && (
          <Button
            type="text"
            icon={<ReloadOutlined aria-hidden />}
            disabled={isBusy}
            onClick={() => void compress(true)}
          >
            {t.rebuild}
          </Button>
        )}
      </div>
    </section>
  );
}
