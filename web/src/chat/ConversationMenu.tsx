import {
  BulbOutlined,
  DeleteOutlined,
  DownloadOutlined,
  EditOutlined,
  FileTextOutlined,
  MoreOutlined,
} from "@ant-design/icons";
import { App, Button, type ButtonProps, Dropdown } from "antd";
import { lazy, Suspense, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { useStrings } from "@/shared/language";
import { keepEnterInMenu } from "@/shared/menu";
import { sharedStrings } from "@/shared/strings";
import { useFailureToast } from "@/shared/use-failure-toast";
import { type Conversation, type ExportFormat, exportConversation, useDelete } from "./conversations";
import { chatStrings } from "./strings";

const RenameDialog = lazy(() => import("./RenameDialog"));

/** What one can do with a conversation, in its row and above it. */
export function ConversationMenu({ conversation, size }: { conversation: Conversation; size: ButtonProps["size"] }) {
  const t = useStrings(chatStrings);
  const shared = useStrings(sharedStrings);
  const { modal } = App.useApp();
  const navigate = useNavigate();
  const open = useParams().conversationId;
  const deletion = useDelete();
  const [renaming, setRenaming] = useState(false);
  const { conversation_id: id } = conversation;
  const title = conversation.title || t.untitled;
  const failed = useFailureToast();
  const save = (format: ExportFormat) => void exportConversation(conversation, format).catch(failed);

  function askToDelete() {
    modal.confirm({
      title: t.deleteTitle(title),
      content: t.deleteText,
      okText: shared.delete,
      okButtonProps: { danger: true },
      cancelText: shared.cancel,
      onOk: async () => {
        try {
          await deletion.mutateAsync(id);
          if (open === id) navigate("/chat");
        } catch (error) {
          failed(error);
        }
      },
    });
  }

  return (
    <>
      <Dropdown
        trigger={["click"]}
        autoFocus
        menu={{
          onClick: keepEnterInMenu,
          items: [
            { key: "rename", icon: <EditOutlined aria-hidden />, label: t.rename, onClick: () => setRenaming(true) },
            {
              key: "memory",
              icon: <BulbOutlined aria-hidden />,
              label: t.memory,
              onClick: () => navigate(`/chat/${id}?beside=memory`),
            },
            {
              key: "markdown",
              icon: <FileTextOutlined aria-hidden />,
              label: t.exportMarkdown,
              onClick: () => save("markdown"),
            },
            { key: "json", icon: <DownloadOutlined aria-hidden />, label: t.exportJson, onClick: () => save("json") },
            { type: "divider" },
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
        <Button type="text" size={size} icon={<MoreOutlined aria-hidden />} aria-label={t.conversationMenu(title)} />
      </Dropdown>
      {renaming && (
        <Suspense fallback={null}>
          <RenameDialog conversation={conversation} onClose={() => setRenaming(false)} />
        </Suspense>
      )}
    </>
  );
}
