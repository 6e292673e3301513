import { DeleteOutlined, EditOutlined, MoreOutlined } from "@ant-design/icons";
import { App, Button, Dropdown, Form, Input, Modal } from "antd";
import { useState } from "react";
import { NavLink, useNavigate, useParams } from "react-router";
import { asProblem } from "@/api/problem";
import { useLanguage, useStrings } from "@/shared/language";
import { keepEnterInMenu } from "@/shared/menu";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { wordsFor } from "@/shared/problem-words";
import { sharedStrings } from "@/shared/strings";
import { WindowedList } from "@/shared/WindowedList";
import { type Conversation, useConversations, useDelete, useRename } from "./conversations";
import { chatStrings } from "./strings";
import "./conversations.css";

const ROW_PIXELS = 36;

/** The conversations in the sidebar: ten thousand scroll as ten do. */
export function ConversationList() {
  const t = useStrings(chatStrings);
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useConversations();
  const conversations = data?.pages.flatMap((page) => page.conversations) ?? [];
  const [renamed, setRenamed] = useState<Conversation | null>(null);
  return (
    <section className="conversations" aria-label={t.conversations}>
      <h2 className="conversations-heading">{t.conversations}</h2>
      {error && !data && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data && conversations.length === 0 && <p className="conversations-none">{t.noConversations}</p>}
      <WindowedList
        items={conversations}
        rowPixels={ROW_PIXELS}
        keyOf={({ conversation_id }) => conversation_id}
        onNearEnd={() => {
          if (hasNextPage && !isFetching) void fetchNextPage();
        }}
      >
        {(conversation) => <Row conversation={conversation} onRename={() => setRenamed(conversation)} />}
      </WindowedList>
      {renamed && <RenameDialog conversation={renamed} onClose={() => setRenamed(null)} />}
    </section>
  );
}

function Row({ conversation, onRename }: { conversation: Conversation; onRename: () => void }) {
  const t = useStrings(chatStrings);
  const shared = useStrings(sharedStrings);
  const language = useLanguage();
  const { modal, message } = App.useApp();
  const navigate = useNavigate();
  const open = useParams().conversationId;
  const deletion = useDelete();
  const title = conversation.title || t.untitled;

  function askToDelete() {
    modal.confirm({
      title: t.deleteTitle(title),
      content: t.deleteText,
      okText: shared.delete,
      okButtonProps: { danger: true },
      cancelText: shared.cancel,
      onOk: async () => {
        try {
          await deletion.mutateAsync(conversation.conversation_id);
          if (open === conversation.conversation_id) navigate("/chat");
        } catch (error) {
          void message.error(wordsFor(asProblem(error), language));
        }
      },
    });
  }

  return (
    <div className="conversation">
      <NavLink to={`/chat/${conversation.conversation_id}`} title={title}>
        {title}
      </NavLink>
      <Dropdown
        trigger={["click"]}
        autoFocus
        menu={{
          onClick: keepEnterInMenu,
          items: [
            { key: "rename", icon: <EditOutlined aria-hidden />, label: t.rename, onClick: onRename },
            {
              key: "delete",
              icon: <DeleteOutlined aria-hidden />,
              label: shared.delete,
              danger: true,
              onClick: askToDelete,
            },
          ],
        }}
      >
        <Button type="text" size="small" icon={<MoreOutlined aria-hidden />} aria-label={t.conversationMenu(title)} />
      </Dropdown>
    </div>
  );
}

function RenameDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const t = useStrings(chatStrings);
  const shared = useStrings(sharedStrings);
  const renaming = useRename();
  const [title, setTitle] = useState(conversation.title);
  const wanted = title.trim();

  function rename() {
    if (wanted) renaming.mutate({ id: conversation.conversation_id, title: wanted }, { onSuccess: onClose });
  }

  return (
    <Modal
      open
      title={t.renameTitle}
      okText={shared.save}
      cancelText={shared.cancel}
      okButtonProps={{ disabled: !wanted, loading: renaming.isPending }}
      onOk={rename}
      onCancel={onClose}
    >
      {renaming.error && <ProblemNotice error={renaming.error} />}
      <Form layout="vertical" onFinish={rename}>
        <Form.Item label={t.title} htmlFor="conversation-title">
          <Input
            id="conversation-title"
            value={title}
            maxLength={200}
            autoFocus
            onChange={(event) => setTitle(event.target.value)}
          />
        </Form.Item>
      </Form>
    </Modal>
  );
}
