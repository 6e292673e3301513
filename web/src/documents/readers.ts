import { useStrings } from "@/shared/language";
import type { Document } from "./following";
import { documentStrings } from "./strings";

/** Who may read a document, in words. */
export function useReaders(): (document: Document) => string {
  const t = useStrings(documentStrings);
  return (document) => {
    if (document.is_public) return t.everybody;
    return document.org_tag ? t.members(document.org_tag) : t.onlyMe;
  };
}
