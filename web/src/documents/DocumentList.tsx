import { DeleteOutlined } from "@ant-design/icons";
import { Button, Grid, Tag } from "antd";
import { Link } from "react-router";
import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import { Badges } from "./Badges";
import { DocumentStateView } from "./DocumentStateView";
import type { Document } from "./following";
import { useReaders } from "./readers";
import { documentStrings } from "./strings";

interface DocumentListProps {
  documents: readonly Document[];
  onDelete: (document: Document) => void;
}

/** Documents as a table, on narrow screens as cards. */
export function DocumentList(props: DocumentListProps) {
  const isWide = Grid.useBreakpoint().md !== false;
  return isWide ? <Table {...props} /> : <Cards {...props} />;
}

function Table({ documents, onDelete }: DocumentListProps) {
  const t = useStrings(documentStrings);
  const formats = useFormats();
  const readers = useReaders();
  return (
    <div className="document-table">
      <table>
        <caption className="visually-hidden">{t.list}</caption>
        <thead>
          <tr>
            <th scope="col">{t.document}</th>
            <th scope="col">{t.state}</th>
            <th scope="col">{t.domain}</th>
            <th scope="col">{t.readers}</th>
            <th scope="col">{t.extent}</th>
            <th scope="col">{t.updated}</th>
            <th scope="col">
              <span className="visually-hidden">{t.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {documents.map((document) => (
            <tr key={document.id} className={document.state === "DELETING" ? "is-leaving" : undefined}>
              <th scope="row">
                <Name document={document} />
              </th>
              <td>
                <DocumentStateView document={document} />
              </td>
              <td>{document.domain_name}</td>
              <td>{readers(document)}</td>
              <td>
                <Extent document={document} />
              </td>
              <td className="is-soft">{formats.time(document.updated_at)}</td>
              <td>
                <DeleteButton document={document} onDelete={onDelete} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cards({ documents, onDelete }: DocumentListProps) {
  const t = useStrings(documentStrings);
  const formats = useFormats();
  const readers = useReaders();
  return (
    <ul className="document-cards" aria-label={t.list}>
      {documents.map((document) => (
        <li key={document.id} className={document.state === "DELETING" ? "is-leaving" : undefined}>
          <div className="card-head">
            <Name document={document} />
            <DeleteButton document={document} onDelete={onDelete} />
          </div>
          <DocumentStateView document={document} />
          <p className="is-soft">
            {document.domain_name} · {readers(document)} · {formats.time(document.updated_at)}
          </p>
          <Extent document={document} />
        </li>
      ))}
    </ul>
  );
}

function Name({ document }: { document: Document }) {
  const isNamed = document.title !== document.file_name.replace(/\.[^.]*$/, "");
  return (
    <div className="document-name">
      <Link to={`/documents/${document.id}`}>{document.title}</Link>
      {isNamed ? <span className="is-soft">{document.file_name}</span> : <Ending name={document.file_name} />}
      <span className="document-tags">
        <Badges document={document} />
        {document.tags.map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      </span>
    </div>
  );
}

function Ending({ name }: { name: string }) {
  const ending = /\.([^.]{1,8})$/.exec(name)?.[1];
  return ending ? <span className="is-soft">{ending.toUpperCase()}</span> : null;
}

function Extent({ document }: { document: Document }) {
  const t = useStrings(documentStrings);
  const formats = useFormats();
  const { pages, chunks } = document;
  return (
    <span className="is-soft document-extent">
      <span>{formats.size(document.size)}</span>
      {pages > 0 && <span>{t.pages(pages)}</span>}
      {chunks.children > 0 && <span>{t.passages(chunks.children)}</span>}
    </span>
  );
}

function DeleteButton({ document, onDelete }: { document: Document; onDelete: (document: Document) => void }) {
  const t = useStrings(documentStrings);
  if (!document.mine || document.state === "DELETING") return null;
  return (
    <Button
      type="text"
      size="small"
      icon={<DeleteOutlined aria-hidden />}
      aria-label={t.remove(document.title)}
      onClick={() => onDelete(document)}
    />
  );
}
