import { TreeSelect } from "antd";
import { useMemo } from "react";
import { useLanguage } from "@/shared/language";
import { type OrgNode, type OrgTag, orgTree } from "./org-tree";

interface Option {
  value: string;
  title: string;
  /** What typing looks for. */
  words: string;
  children: Option[];
}

function options(nodes: readonly OrgNode[]): Option[] {
  return nodes.map(({ tag, children }) => ({
    value: tag.code,
    title: tag.name,
    words: `${tag.name} ${tag.code}`,
    children: options(children),
  }));
}

type Common = { id?: string; placeholder?: string; nodes: readonly OrgNode[] };
type One = { multiple?: false; value?: string | null; onChange?: (code: string | null) => void };
type Several = { multiple: true; value?: string[]; onChange?: (codes: string[]) => void };

/** Chooses one tag or several of the tree; both with typing and with the keyboard. */
export function OrgTagSelect({ nodes, multiple = false, value, onChange, ...rest }: Common & (One | Several)) {
  return (
    <TreeSelect
      {...rest}
      className="org-tag-select"
      treeData={options(nodes)}
      multiple={multiple}
      value={value ?? undefined}
      onChange={(chosen) => (onChange as (codes: unknown) => void)?.(multiple ? chosen : (chosen ?? null))}
      showSearch={{ treeNodeFilterProp: "words" }}
      treeNodeLabelProp="title"
      treeDefaultExpandAll
      allowClear
      listHeight={280}
    />
  );
}

/** The tree of a flat list, made once for the same list. */
export function useOrgTree(tags: readonly OrgTag[]): OrgNode[] {
  const language = useLanguage();
  return useMemo(() => orgTree(tags, language), [tags, language]);
}
