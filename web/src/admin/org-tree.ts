/** The org tree as the page shows it, made from the flat list that the server gives. */
import type { Schemas } from "@/api/client";

export type OrgTag = Schemas["OrgTagAnswer"];

export interface OrgNode {
  tag: OrgTag;
  children: OrgNode[];
  /** How many tags lie below, on all levels. */
  below: number;
}

/** Roots with all below them, by name. A tag whose parent is not in the list stands at the root. */
export function orgTree(tags: readonly OrgTag[], language: string): OrgNode[] {
  const codes = new Set(tags.map((tag) => tag.code));
  const children = new Map<string | null, OrgTag[]>();
  for (const tag of tags) {
    const parent = tag.parent_code !== null && codes.has(tag.parent_code) ? tag.parent_code : null;
    children.set(parent, [...(children.get(parent) ?? []), tag]);
  }
  const names = new Intl.Collator(language);
  const under = (parent: string | null): OrgNode[] =>
    (children.get(parent) ?? [])
      .toSorted((one, other) => names.compare(one.name, other.name))
      .map((tag) => {
        const nodes = under(tag.code);
        return { tag, children: nodes, below: nodes.reduce((sum, node) => sum + 1 + node.below, 0) };
      });
  return under(null);
}

/** Names from the root down to the tag; only the code for a tag that is unknown. */
export function pathOf(code: string, tags: readonly OrgTag[]): string[] {
  const byCode = new Map(tags.map((tag) => [tag.code, tag]));
  const names: string[] = [];
  let tag = byCode.get(code);
  if (!tag) return [code];
  while (tag && names.length < tags.length) {
    names.unshift(tag.name);
    tag = tag.parent_code === null ? undefined : byCode.get(tag.parent_code);
  }
  return names;
}

/** The tree without a tag and all below it: where that tag may be moved. */
export function without(code: string, nodes: readonly OrgNode[]): OrgNode[] {
  return nodes
    .filter((node) => node.tag.code !== code)
    .map((node) => ({ ...node, children: without(code, node.children) }));
}

/** A code that the name suggests: what a code may not hold becomes a hyphen. Empty when nothing is left. */
export function suggestedCode(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 64);
}

/** What the server takes as a code of an org tag or a domain. */
export function isCode(code: string): boolean {
  return /^[\p{L}\p{N}._-]{1,64}$/u.test(code) && !/^\.+$/.test(code);
}
