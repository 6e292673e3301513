import { Tag, Tooltip } from "antd";
import { useStrings } from "@/shared/language";
import type { Document } from "./following";
import { hostOf } from "./importing/address";
import { isSettled } from "./state-words";
import { documentStrings } from "./strings";

/** What is special about a document: taken over, fetched, answering with its previous version. */
export function Badges({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const { answering, instant, source_url: source, state } = document;
  return (
    <>
      {instant && (
        <Tooltip title={t.instantHint}>
          <Tag color="success">{t.instantTag}</Tag>
        </Tooltip>
      )}
      {source && (
        <Tooltip title={source}>
          <Tag>{t.fetchedFrom(hostOf(source))}</Tag>
        </Tooltip>
      )}
      {answering && !isSettled(state) && state !== "DELETING" && (
        <Tooltip title={t.answersMeanwhileHint}>
          <Tag className="meanwhile-tag">{t.answersMeanwhile}</Tag>
        </Tooltip>
      )}
    </>
  );
}
