import { Tag } from "antd";
import { CopyButton } from "@/shared/CopyButton";
import { Fact } from "@/shared/Fact";
import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import type { Document } from "./following";
import { addressOf } from "./importing/address";
import { useReaders } from "./readers";
import { documentStrings } from "./strings";

/** What is known about a document. */
export function DocumentFacts({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const formats = useFormats();
  const readers = useReaders();
  const { chunks, domain_code, domain_name, language, pages, tags } = document;
  const languages: Record<string, string> = { "": t.notDetected, zh: t.chinese, en: t.english };
  return (
    <dl className="facts">
      <Fact name={t.fileName}>{document.file_name}</Fact>
      {document.source_url && (
        <Fact name={t.source}>
          <Source address={document.source_url} />
        </Fact>
      )}
      <Fact name={t.size}>{formats.size(document.size)}</Fact>
      {pages > 0 && <Fact name={t.pageCount}>{formats.number(pages)}</Fact>}
      {chunks.children > 0 && (
        <Fact name={t.passageCount}>
          {t.passageCounts(formats.number(chunks.children), formats.number(chunks.parents))}
        </Fact>
      )}
      <Fact name={t.domain}>{domain_name === domain_code ? domain_code : `${domain_name} (${domain_code})`}</Fact>
      {document.business_category && <Fact name={t.category}>{document.business_category}</Fact>}
      <Fact name={t.tags}>{tags.length > 0 ? tags.map((tag) => <Tag key={tag}>{tag}</Tag>) : t.none}</Fact>
      <Fact name={t.language}>{languages[language] ?? t.unknownLanguage}</Fact>
      <Fact name={t.readers}>{readers(document)}</Fact>
      <Fact name={t.owner}>{document.mine ? t.me : t.anotherPerson}</Fact>
      <Fact name={t.uploadedAt}>{formats.time(document.created_at)}</Fact>
      <Fact name={t.updated}>{formats.time(document.updated_at)}</Fact>
      <Fact name={t.digest}>
        <code className="digest">{document.sha256.slice(0, 16)}…</code>
        <CopyButton text={document.sha256} label={t.copyDigest} />
      </Fact>
    </dl>
  );
}

/** What lies at an address is another's: only http and https are links. */
function Source({ address }: { address: string }) {
  const href = addressOf(address);
  if (href === null) return address;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {address}
    </a>
  );
}
