import { LockOutlined } from "@ant-design/icons";
import { Button } from "antd";
import type { ReactNode } from "react";
import { Link, Navigate, Outlet, useLocation } from "react-router";
import { appStrings } from "@/app/strings";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { useSession, useUser } from "./use-session";

/** Sends who is not logged in to the log-in page, and afterwards back. */
export function RequireSession({ children }: { children: ReactNode }) {
  const session = useSession();
  const { pathname, search } = useLocation();
  if (session) return children;
  const next = pathname === "/" || pathname === "/chat" ? "" : `?next=${encodeURIComponent(pathname + search)}`;
  return <Navigate to={`/login${next}`} replace />;
}

/** Shows pages of administrators to administrators; the server decides for itself. */
export function RequireAdministrator() {
  const t = useStrings(appStrings);
  if (useUser().roles.includes("admin")) return <Outlet />;
  return (
    <Empty heading="h1" icon={<LockOutlined aria-hidden />} title={t.administration} text={t.administratorsOnly}>
      <Link to="/chat">
        <Button type="primary" tabIndex={-1}>
          {t.backToChat}
        </Button>
      </Link>
    </Empty>
  );
}
