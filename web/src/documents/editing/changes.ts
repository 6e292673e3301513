/** What a person changed of what is said of a document. */
import type { Schemas } from "@/api/client";
import type { Document } from "../following";
import { choiceOf, visibilityOf } from "../readers";

export interface EditAnswers {
  title: string;
  tags: string[];
  readers: string;
}

export function answersOf({ title, tags, ...visibility }: Document): EditAnswers {
  return { title, tags: [...tags], readers: choiceOf(visibility) };
}

/** Only what differs from the document; null when nothing does. An empty title gives it back its own. */
export function changesOf(
  document: Document,
  { title, tags, readers }: EditAnswers,
): Schemas["DocumentChanges"] | null {
  const before = answersOf(document);
  const named = title.trim();
  const cleaned = [...new Set(tags.map((tag) => tag.trim()).filter(Boolean))];
  const changes: Schemas["DocumentChanges"] = {
    ...(named !== before.title && { title: named }),
    ...(cleaned.join("\n") !== before.tags.join("\n") && { tags: cleaned }),
    ...(readers !== before.readers && visibilityOf(readers)),
  };
  return Object.keys(changes).length > 0 ? changes : null;
}
