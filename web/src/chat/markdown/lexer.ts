/** Markdown as tokens: GFM, formulas and citations. */
import { Marked, type TokenizerExtension, type Tokens } from "marked";

const citation: TokenizerExtension = {
  name: "citation",
  level: "inline",
  start: (source) => indexOf(source, /\[\d{1,3}\]/),
  tokenizer(source): Tokens.Generic | undefined {
    // Round brackets without an address are words behind it.
    const match = /^\[(\d{1,3})\](?!\(<?(?:https?:\/\/|mailto:))/i.exec(source);
    return match ? { type: "citation", raw: match[0], citationId: Number(match[1]) } : undefined;
  },
};

// A dollar sign before a blank or behind a digit is money, and so is one before an amount and words without a sign of TeX.
const INLINE_MATH =
  /^(?:\$\$([^$]+?)\$\$|\$(?![\s$]|\d[\d,.]*\s(?![^$\n]*[\\^_=]))((?:\\.|[^\\$\n])*?[^\s\\$])\$(?!\d)|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\])/;

const inlineMath: TokenizerExtension = {
  name: "inlineMath",
  level: "inline",
  start: (source) => indexOf(source, /\$|\\\(|\\\[/),
  tokenizer(source): Tokens.Generic | undefined {
    const match = INLINE_MATH.exec(source);
    if (!match) return undefined;
    const display = match[1] !== undefined || match[4] !== undefined;
    return {
      type: "math",
      raw: match[0],
      formula: (match[1] ?? match[2] ?? match[3] ?? match[4] ?? "").trim(),
      display,
    };
  },
};

const BLOCK_MATH = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/;

const blockMath: TokenizerExtension = {
  name: "blockMath",
  level: "block",
  start: (source) => indexOf(source, /\$\$|\\\[/),
  tokenizer(source): Tokens.Generic | undefined {
    const match = BLOCK_MATH.exec(source);
    return match
      ? { type: "math", raw: match[0], formula: (match[1] ?? match[2] ?? "").trim(), display: true }
      : undefined;
  },
};

function indexOf(source: string, pattern: RegExp): number | undefined {
  const index = source.search(pattern);
  return index < 0 ? undefined : index;
}

const marked = new Marked({ gfm: true });
marked.use({
  extensions: [citation, blockMath, inlineMath],
  // `[1]: handbook` names a source: as a definition it would vanish.
  tokenizer: { def: (source) => (/^ {0,3}\[\d{1,3}\]:/.test(source) ? undefined : false) },
});

/** The tokens of `text`; one plain paragraph when it is nested deeper than can be read. */
export function lex(text: string): Tokens.Generic[] {
  try {
    return marked.lexer(text) as Tokens.Generic[];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ type: "paragraph", raw: text, tokens: [{ type: "escape", raw: text, text }] }];
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  times: "×",
  middot: "·",
  rarr: "→",
  larr: "←",
  le: "≤",
  ge: "≥",
  ne: "≠",
};

/** Character references as the characters they stand for. */
export function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g, (whole, decimal, hexadecimal, name) => {
    if (name) return NAMED[name] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}

/** The address of a link that may be followed; null for any other scheme than the web's and mail's. */
export function safeAddress(href: string): string | null {
  try {
    const { protocol, href: whole } = new URL(decoded(href).trim());
    return ["http:", "https:", "mailto:"].includes(protocol) ? whole : null;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
