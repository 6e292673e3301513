import { FileTextOutlined } from "@ant-design/icons";
import { Button, Tag, Tooltip } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import type { Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import { stretches } from "./highlighting";
import { retrievalStrings } from "./strings";
import "./evidence.css";

type Evidence = Schemas["Evidence"];

/** Longer texts are folded. */
const LONG_CHARACTERS = 600;
const SCORES = ["vector", "keyword", "outline", "rerank", "fused"] as const;

/** A passage that an answer would rest on: where it stands, how it scored, what of it matches. */
export function EvidenceCard({ evidence, bestKeyword }: { evidence: Evidence; bestKeyword: number }) {
  const t = useStrings(retrievalStrings);
  const formats = useFormats();
  const isLong = evidence.text.length > LONG_CHARACTERS;
  const [open, setOpen] = useState(false);
  const { page_from: from, page_to: to } = evidence;
  const place = [
    ...evidence.heading_path,
    ...(from != null ? [t.pages(from, to ?? from)] : []),
    evidence.domain,
  ].filter(Boolean);

  return (
    <article className="evidence" aria-label={t.shownAs(evidence.citation_id)}>
      <header>
        <span className="evidence-number" aria-hidden="true">
          {evidence.citation_id}
        </span>
        <div className="evidence-title">
          <h3>
            <Link to={`/documents/${evidence.document_id}`} aria-label={t.openDocument(evidence.title)}>
              <FileTextOutlined aria-hidden /> {evidence.title}
            </Link>
          </h3>
          <p className="is-soft">{place.join(" › ")}</p>
        </div>
        <div className="evidence-channels">
          {evidence.channels.map((channel) => (
            <Tag key={channel} className="channel-tag">
              {t.channels(channel)}
            </Tag>
          ))}
          {evidence.cut && (
            <Tooltip title={t.cutHint}>
              <Tag>{t.cut}</Tag>
            </Tooltip>
          )}
        </div>
      </header>
      <div className={isLong && !open ? "evidence-text is-folded" : "evidence-text"}>
        {stretches(evidence).map((stretch, position) =>
          stretch.matched ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the stretches of a text stand still
            <mark key={position} className={stretch.best ? "is-best" : undefined}>
              {stretch.text}
            </mark>
          ) : (
            stretch.text
          ),
        )}
      </div>
      {isLong && (
        <Button type="link" size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t.showLess : t.showAll}
        </Button>
      )}
      <dl className="scores">
        {SCORES.map((name) => {
          const score = evidence.scores[name];
          if (score == null) return null;
          const share = name === "keyword" ? score / (bestKeyword || 1) : score;
          return (
            <div key={name}>
              <dt>{t.scores(name)}</dt>
              <dd>
                <span className="score-bar" aria-hidden="true">
                  <span style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
                </span>
                {formats.score(score)}
              </dd>
            </div>
          );
        })}
      </dl>
    </article>
  );
}
