/** What the server takes as one question, in characters as people count them. */
export const LONGEST_QUESTION = 32_000;

/** The length of a question that is too long, in characters; null when it fits. */
export function lengthIfTooLong(question: string): number | null {
  // Counting characters reads the text; what has few units cannot have many of them.
  if (question.length <= LONGEST_QUESTION) return null;
  const length = [...question].length;
  return length > LONGEST_QUESTION ? length : null;
}
