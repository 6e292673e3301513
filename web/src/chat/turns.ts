/** The one store of this tab, joined to the other tabs and to the session. */
import { sessions } from "@/api/session";
import { tellElsewhere } from "./elsewhere";
import { HTTP_TURNS, TurnStore } from "./turn-store";

export const turns = new TurnStore(HTTP_TURNS, tellElsewhere);

let person = sessions.current()?.user.id;
sessions.subscribe(() => {
  const next = sessions.current()?.user.id;
  if (next !== person) turns.leave();
  person = next;
});
