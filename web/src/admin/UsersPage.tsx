import { SearchOutlined, TeamOutlined } from "@ant-design/icons";
import { Button, Grid, Input, Skeleton, Table, type TableColumnsType, Tag, Tooltip } from "antd";
import { useEffect, useState } from "react";
import { appStrings } from "@/app/strings";
import { useUser } from "@/auth/use-session";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { useFormats } from "@/shared/time";
import "./admin.css";
import { useOrgTags } from "./org-tags";
import { pathOf } from "./org-tree";
import { adminStrings } from "./strings";
import { UserActions } from "./UserActions";
import { UserTagsDialog } from "./UserTagsDialog";
import { isAdministrator, type ListedUser, useUsers } from "./users";

const TYPING_PAUSE_MS = 250;

export default function UsersPage() {
  const app = useStrings(appStrings);
  const t = useStrings(adminStrings);
  const shared = useStrings(sharedStrings);
  const wide = Grid.useBreakpoint().md !== false;
  const [typed, setTyped] = useState("");
  const [query, setQuery] = useState("");
  const [tagged, setTagged] = useState<ListedUser | null>(null);
  const found = useUsers(query);
  const users = found.data?.pages.flatMap((page) => page.users) ?? [];

  useEffect(() => {
    const pause = setTimeout(() => setQuery(typed.trim()), TYPING_PAUSE_MS);
    return () => clearTimeout(pause);
  }, [typed]);

  function list() {
    if (found.isPending) return <Skeleton active paragraph={{ rows: 6 }} />;
    if (found.isError && !users.length) return <ProblemNotice error={found.error} onRetry={found.refetch} />;
    if (!users.length) {
      return (
        <Empty icon={<TeamOutlined aria-hidden />} title={t.noUsersFound} text={t.noUsersFoundText(query)}>
          <Button onClick={() => setTyped("")}>{t.showEverybody}</Button>
        </Empty>
      );
    }
    return wide ? <UserTable users={users} onSetTags={setTagged} /> : <UserCards users={users} onSetTags={setTagged} />;
  }

  return (
    <Page title={app.users} intro={t.usersIntro}>
      <search className="admin-search">
        <Input
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          prefix={<SearchOutlined aria-hidden />}
          placeholder={t.searchUsersShort}
          aria-label={t.searchUsers}
          maxLength={200}
          allowClear
        />
      </search>
      <div aria-busy={found.isFetching}>{list()}</div>
      {found.isError && users.length > 0 && <ProblemNotice error={found.error} onRetry={found.refetch} />}
      {found.hasNextPage && (
        <Button block onClick={() => found.fetchNextPage()} loading={found.isFetchingNextPage} className="load-more">
          {shared.loadMore}
        </Button>
      )}
      {tagged && <UserTagsDialog user={tagged} onClose={() => setTagged(null)} />}
    </Page>
  );
}

interface ListProps {
  users: ListedUser[];
  onSetTags: (user: ListedUser) => void;
}

function UserTable({ users, onSetTags }: ListProps) {
  const t = useStrings(adminStrings);
  const f = useFormats();
  const columns: TableColumnsType<ListedUser> = [
    { title: t.user, key: "user", width: "26%", render: (_, user) => <UserName user={user} /> },
    { title: t.role, key: "role", width: 132, render: (_, user) => <Role user={user} /> },
    { title: t.orgTags, key: "tags", render: (_, user) => <UserTags user={user} /> },
    { title: t.state, key: "state", width: 100, render: (_, user) => <State user={user} /> },
    { title: t.created, key: "created", width: 176, render: (_, user) => f.time(user.created_at) },
    {
      title: <span className="visually-hidden">{t.actions("")}</span>,
      key: "actions",
      width: 64,
      render: (_, user) => <UserActions user={user} onSetTags={() => onSetTags(user)} />,
    },
  ];
  return (
    <Table rowKey="id" columns={columns} dataSource={users} pagination={false} tableLayout="fixed" size="middle" />
  );
}

function UserCards({ users, onSetTags }: ListProps) {
  const t = useStrings(adminStrings);
  const f = useFormats();
  return (
    <ul className="cards">
      {users.map((user) => (
        <li key={user.id} className="card">
          <div className="card-head">
            <UserName user={user} />
            <UserActions user={user} onSetTags={() => onSetTags(user)} />
          </div>
          <dl className="facts">
            <dt>{t.role}</dt>
            <dd>
              <Role user={user} />
            </dd>
            <dt>{t.orgTags}</dt>
            <dd>
              <UserTags user={user} />
            </dd>
            <dt>{t.state}</dt>
            <dd>
              <State user={user} />
            </dd>
            <dt>{t.created}</dt>
            <dd>{f.time(user.created_at)}</dd>
          </dl>
        </li>
      ))}
    </ul>
  );
}

function UserName({ user }: { user: ListedUser }) {
  const t = useStrings(adminStrings);
  const isSelf = useUser().id === user.id;
  return (
    <span className="user-name">
      <strong>{user.username}</strong>
      {isSelf && <Tag>{t.you}</Tag>}
    </span>
  );
}

function Role({ user }: { user: ListedUser }) {
  const t = useStrings(adminStrings);
  return isAdministrator(user) ? <Tag className="accent-tag">{t.administrator}</Tag> : t.member;
}

function State({ user }: { user: ListedUser }) {
  const t = useStrings(adminStrings);
  return (
    <span className={user.banned ? "state state-banned" : "state state-active"}>
      {user.banned ? t.banned : t.active}
    </span>
  );
}

function UserTags({ user }: { user: ListedUser }) {
  const t = useStrings(adminStrings);
  const known = useOrgTags().data ?? [];
  if (!user.org_tags.length) return <span className="soft">{t.noTags}</span>;
  return (
    <span className="tags">
      {user.org_tags.map((code) => {
        const path = pathOf(code, known);
        return (
          <Tooltip key={code} title={path.join(" / ")}>
            <Tag className="org-tag">{path.at(-1)}</Tag>
          </Tooltip>
        );
      })}
    </span>
  );
}
