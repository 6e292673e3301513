import { SearchOutlined } from "@ant-design/icons";
import { Input } from "antd";
import { useEffect, useState } from "react";
import { NavLink } from "react-router";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { WindowedList } from "@/shared/WindowedList";
import { ConversationMenu } from "./ConversationMenu";
import { type Conversation, useConversations } from "./conversations";
import { chatStrings } from "./strings";
import "./conversations.css";

const ROW_PIXELS = 36;
/** After the last key, before the server is asked. */
const TYPING_MS = 250;
const LONGEST_SEARCH = 200;

/** The conversations in the sidebar: ten thousand scroll as ten do. */
export function ConversationList() {
  const t = useStrings(chatStrings);
  const [typed, setTyped] = useState("");
  const search = useSettled(typed.trim());
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useConversations(search);
  const conversations = data?.pages.flatMap((page) => page.conversations) ?? [];
  const isEmpty = data !== undefined && conversations.length === 0;
  return (
    <section className="conversations" aria-label={t.conversations}>
      <h2 className="conversations-heading">{t.conversations}</h2>
      {(typed !== "" || search !== "" || !isEmpty) && (
        <Input
          className="conversations-search"
          type="search"
          size="small"
          allowClear
          prefix={<SearchOutlined aria-hidden />}
          placeholder={t.searchConversations}
          aria-label={t.searchConversations}
          maxLength={LONGEST_SEARCH}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") setTyped("");
          }}
        />
      )}
      {error && !data && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      <p className="visually-hidden" role="status">
        {search && !isFetching && data ? t.conversationsFound(conversations.length) : ""}
      </p>
      {isEmpty && <p className="conversations-none">{search ? t.noConversationFound : t.noConversations}</p>}
      <WindowedList
        items={conversations}
        rowPixels={ROW_PIXELS}
        keyOf={({ conversation_id }) => conversation_id}
        onNearEnd={() => {
          if (hasNextPage && !isFetching) void fetchNextPage();
        }}
      >
        {(conversation) => <Row conversation={conversation} />}
      </WindowedList>
    </section>
  );
}

/** What was typed, once nothing has been typed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function Row({ conversation }: { conversation: Conversation }) {
  const t = useStrings(chatStrings);
  const title = conversation.title || t.untitled;
  return (
    <div className="conversation">
      <NavLink to={`/chat/${conversation.conversation_id}`} title={title}>
        {title}
      </NavLink>
      <ConversationMenu conversation={conversation} size="small" />
    </div>
  );
}
