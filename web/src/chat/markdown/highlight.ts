/** Code in colours, as elements. A chunk of its own, for it carries the grammars. */
import { common, createLowlight } from "lowlight";
import { createElement, type ReactNode } from "react";

const lowlight = createLowlight(common);

export type Highlight = (code: string, language: string) => ReactNode;

type Node = { type: string; value?: string; properties?: { className?: unknown }; children?: Node[] };

export const highlight: Highlight = (code, language) =>
  lowlight.registered(language) ? elements(lowlight.highlight(language, code).children as Node[]) : code;

function elements(nodes: readonly Node[]): ReactNode[] {
  return nodes.map((node, key) => {
    if (node.type === "text") return node.value;
    const className = Array.isArray(node.properties?.className) ? node.properties.className.join(" ") : undefined;
    return createElement("span", { key, className }, ...elements(node.children ?? []));
  });
}
