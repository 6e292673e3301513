/** What is typed and not asked yet, by conversation: it outlives reloads and other pages, in this tab. */
import { sessions } from "@/api/session";

const DRAFT = "superagent.draft.";
const ASKED = "superagent.asked.";

/** The id of a conversation that does not exist yet is the empty string. */
export class Drafts {
  constructor(private readonly storage: Storage) {
    // What was on its way when the page was left may never have arrived.
    for (const conversationId of this.idsBehind(ASKED)) {
      const asked = this.storage.getItem(ASKED + conversationId) ?? "";
      if (!this.of(conversationId)) this.keep(conversationId, asked);
      this.put(ASKED + conversationId, "");
    }
  }

  of(conversationId: string): string {
    return this.storage.getItem(DRAFT + conversationId) ?? "";
  }

  keep(conversationId: string, text: string): void {
    this.put(DRAFT + conversationId, text);
  }

  /** A question is being sent: it is a draft again if the page is left before it was `accepted`. */
  asked(conversationId: string, question: string): void {
    this.put(ASKED + conversationId, question);
  }

  /** The server has the question. What was typed since goes along into the conversation that it began. */
  accepted(askedIn: string, conversationId: string): void {
    this.put(ASKED + askedIn, "");
    if (askedIn !== conversationId) this.move(askedIn, conversationId);
  }

  move(from: string, to: string): void {
    const text = this.of(from);
    this.keep(from, "");
    if (text) this.keep(to, text);
  }

  clear(): void {
    for (const prefix of [DRAFT, ASKED]) for (const id of this.idsBehind(prefix)) this.put(prefix + id, "");
  }

  private idsBehind(prefix: string): string[] {
    const keys = Array.from({ length: this.storage.length }, (_, index) => this.storage.key(index) ?? "");
    return keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  }

  private put(key: string, text: string): void {
    try {
      if (text) this.storage.setItem(key, text);
      else this.storage.removeItem(key);
    } catch (error) {
      // Megabytes do not fit; they stay in the input for as long as the page does.
      console.warn("This draft would not outlive a reload", error);
      this.storage.removeItem(key);
    }
  }
}

export const drafts = new Drafts(sessionStorage);

// What one person typed must not be shown to the next one at this machine; who only has to log in again keeps it.
let person = sessions.current()?.user.id ?? sessions.endedFor();
sessions.subscribe(() => {
  const next = sessions.current()?.user.id;
  if (next ? next !== person : sessions.endedFor() === null) drafts.clear();
  person = next ?? person;
});
