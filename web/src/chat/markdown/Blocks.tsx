import type { Tokens } from "marked";
import { createElement, Fragment, type ReactNode } from "react";
import { CodeBlock } from "./CodeBlock";
import { Formula } from "./Formula";
import { decoded, safeAddress } from "./lexer";

interface BlocksProps {
  tokens: readonly Tokens.Generic[];
  citation: (citationId: number) => ReactNode;
  /** How many tokens they lie in. */
  depth?: number;
}

/** What lies deeper is shown as it was written: browsers die of elements nested by the thousand. */
const DEEPEST = 50;

export function Blocks({ tokens, citation, depth = 0 }: BlocksProps) {
  if (depth > DEEPEST) return tokens.map(({ raw }) => raw).join("");
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
  return tokens.map((token, index) => <Fragment key={index}>{rendered(token, citation, depth + 1)}</Fragment>);
}

type Citation = BlocksProps["citation"];

/** Answers begin at any level; headings stand one or two below that of the turn, and look as deep as they are. */
const DEEP = 4;

function rendered(token: Tokens.Generic, citation: Citation, depth: number): ReactNode {
  const children = token.tokens ? (
    <Blocks tokens={token.tokens as Tokens.Generic[]} citation={citation} depth={depth} />
  ) : null;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "paragraph":
      return <p>{children}</p>;
    case "heading":
      return createElement(token.depth < DEEP ? "h3" : "h4", { className: `level-${token.depth}` }, children);
    case "list":
      return list(token as Tokens.List, citation, depth);
    case "blockquote":
      return <blockquote>{children}</blockquote>;
    case "code":
      return <CodeBlock code={token.text} language={(token.lang ?? "").split(/\s/)[0]} />;
    case "table":
      return <Table table={token as Tokens.Table} citation={citation} />;
    case "hr":
      return <hr />;
    case "strong":
      return <strong>{children}</strong>;
    case "em":
      return <em>{children}</em>;
    case "del":
      return <del>{children}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token.href, imageText(token) ?? children);
    case "image":
      // Loading it would tell its host who reads this.
      return link(token.href, `[${decoded(token.text) || token.href}]`);
    case "math":
      return <Formula formula={token.formula} display={token.display} />;
    case "citation":
      return citation(token.citationId) ?? token.raw;
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "text":
      return children ?? decoded(token.text);
    case "escape":
      return token.text;
    default:
      // `html` among them: markup in an answer is shown, never obeyed.
      return token.raw;
  }
}

function link(href: string, children: ReactNode): ReactNode {
  const address = safeAddress(href);
  if (!address) return <span>{children}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** The text of a link around an image; null for any other link. */
function imageText(token: Tokens.Generic): string | null {
  const parts = (token.tokens ?? []) as Tokens.Generic[];
  return parts.some(({ type }) => type === "image")
    ? parts.map((part) => decoded(part.text ?? part.raw)).join("")
    : null;
}

function list(token: Tokens.List, citation: Citation, depth: number): ReactNode {
  const items = token.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place
    <li key={index} className={item.task ? "task" : undefined}>
      <Blocks tokens={item.tokens as Tokens.Generic[]} citation={citation} depth={depth} />
    </li>
  ));
  if (!token.ordered) return <ul dir="auto">{items}</ul>;
  return (
    <ol dir="auto" start={token.start === "" ? 1 : token.start}>
      {items}
    </ol>
  );
}

function Table({ table, citation }: { table: Tokens.Table; citation: Citation }) {
  const cell = (content: Tokens.TableCell) => (
    <Blocks tokens={content.tokens as Tokens.Generic[]} citation={citation} />
  );
  const alignment = (index: number) => ({ textAlign: table.align[index] ?? undefined });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard
    <div className="table-box" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.header.map((content, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity but their place
              <th key={index} style={alignment(index)}>
                {cell(content)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, rowIndex) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
            <tr key={rowIndex}>
              {row.map((content, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity but their place
                <td key={index} style={alignment(index)}>
                  {cell(content)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
