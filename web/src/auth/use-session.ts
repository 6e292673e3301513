import { useSyncExternalStore } from "react";
import { type Session, sessions, type User } from "@/api/session";

const subscribe = (listener: () => void) => sessions.subscribe(listener);
const current = () => sessions.current();

/** The person's session; null when nobody is logged in. */
export function useSession(): Session | null {
  return useSyncExternalStore(subscribe, current);
}

const NOBODY: User = { id: "", username: "", roles: [], org_tags: [] };

/** Who is logged in; nobody (no id, no roles) for the moment in which the page is being left. */
export function useUser(): User {
  return useSession()?.user ?? NOBODY;
}
