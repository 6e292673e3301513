import {
  ApartmentOutlined,
  BookOutlined,
  DatabaseOutlined,
  FieldTimeOutlined,
  FileTextOutlined,
  FormOutlined,
  InboxOutlined,
  SearchOutlined,
  TeamOutlined,
} from "@ant-design/icons";
import type { ReactNode } from "react";
import { NavLink } from "react-router";
import { useUser } from "@/auth/use-session";
import { ConversationList } from "@/chat/ConversationList";
import { useStrings } from "@/shared/language";
import { AccountMenu } from "./AccountMenu";
import { Brand } from "./Brand";
import { appStrings } from "./strings";
import "./sidebar.css";

export function Sidebar({ inDrawer = false }: { inDrawer?: boolean }) {
  const t = useStrings(appStrings);
  const user = useUser();
  return (
    <div className="sidebar">
      {!inDrawer && <Brand />}
      <nav aria-label={t.mainNavigation}>
        <ul className="nav">
          <Entry to="/chat" end icon={<FormOutlined aria-hidden />} label={t.newChat} />
          <Entry to="/documents" icon={<FileTextOutlined aria-hidden />} label={t.documents} />
          <Entry to="/retrieval" icon={<SearchOutlined aria-hidden />} label={t.retrieval} />
          <Entry to="/turns" icon={<FieldTimeOutlined aria-hidden />} label={t.turns} />
        </ul>
        {user.roles.includes("admin") && (
          <>
            <h2 className="nav-heading">{t.administration}</h2>
            <ul className="nav">
              <Entry to="/admin/users" icon={<TeamOutlined aria-hidden />} label={t.users} />
              <Entry to="/admin/org-tags" icon={<ApartmentOutlined aria-hidden />} label={t.orgTags} />
              <Entry to="/admin/domains" icon={<BookOutlined aria-hidden />} label={t.domains} />
              <Entry to="/admin/index" icon={<DatabaseOutlined aria-hidden />} label={t.index} />
              <Entry to="/admin/dead-letters" icon={<InboxOutlined aria-hidden />} label={t.deadLetters} />
            </ul>
          </>
        )}
      </nav>
      <ConversationList />
      <AccountMenu />
    </div>
  );
}

function Entry({ to, end = false, icon, label }: { to: string; end?: boolean; icon: ReactNode; label: string }) {
  return (
    <li>
      <NavLink to={to} end={end} className="nav-entry">
        <span aria-hidden="true">{icon}</span>
        {label}
      </NavLink>
    </li>
  );
}
