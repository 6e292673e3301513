import { api } from "@/api/client";
import { sessions } from "@/api/session";

/** Ends the session here in any case, and on the server when it answers. */
export async function logOut(): Promise<void> {
  const session = sessions.current();
  if (!session) return;
  try {
    await api.POST("/api/v1/auth/logout", { body: { refresh_token: session.refreshToken } });
  } catch (error) {
    // The server's copy of the session then ends by itself in seven days.
    console.warn("The server was not told of the log-out", error);
  }
  sessions.end();
}
