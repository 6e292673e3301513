/** Who may read a document: the choices of a person, and their words. */
import { useUser } from "@/auth/use-session";
import { useStrings } from "@/shared/language";
import { documentStrings } from "./strings";

/** The part of a document, or of what is said of one, that decides it. */
export interface Visibility {
  org_tag: string;
  is_public: boolean;
}

const ONLY_ME = "me";
const EVERYBODY = "everybody";
const TAG = "tag:";

/** One of `me`, `everybody`, or `tag:` with the code of an org tag. */
export function choiceOf({ org_tag, is_public }: Visibility): string {
  if (is_public) return EVERYBODY;
  return org_tag ? TAG + org_tag : ONLY_ME;
}

export function visibilityOf(choice: string): Visibility {
  return { org_tag: choice.startsWith(TAG) ? choice.slice(TAG.length) : "", is_public: choice === EVERYBODY };
}

/** Who may read a document, in words. */
export function useReaders(): (document: Visibility) => string {
  const t = useStrings(documentStrings);
  return (document) => {
    if (document.is_public) return t.everybody;
    return document.org_tag ? t.members(document.org_tag) : t.onlyMe;
  };
}

/** What the person may choose; an org tag that `kept` has stays among it even when it is none of theirs. */
export function useReaderChoices(kept: Visibility | null = null): { value: string; label: string }[] {
  const { org_tags: own } = useUser();
  const inWords = useReaders();
  const tags = kept?.org_tag && !own.includes(kept.org_tag) ? [...own, kept.org_tag] : own;
  const choices = [ONLY_ME, ...tags.map((tag) => TAG + tag), EVERYBODY];
  return choices.map((value) => ({ value, label: inWords(visibilityOf(value)) }));
}
