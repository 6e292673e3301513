import { Form, Input, type InputRef, Modal } from "antd";
import { useRef, useState } from "react";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { type Conversation, useChange } from "./conversations";
import { chatStrings } from "./strings";

export default function RenameDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const t = useStrings(chatStrings);
  const shared = useStrings(sharedStrings);
  const renaming = useChange();
  const input = useRef<InputRef>(null);
  const [title, setTitle] = useState(conversation.title);
  const wanted = title.trim();

  function rename() {
    if (wanted)
      renaming.mutate({ id: conversation.conversation_id, change: { title: wanted } }, { onSuccess: onClose });
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
      // The menu gives the focus back when it closes, behind any autoFocus.
      afterOpenChange={(open) => open && input.current?.focus({ cursor: "all" })}
    >
      {renaming.error && <ProblemNotice error={renaming.error} />}
      <Form layout="vertical" onFinish={rename}>
        <Form.Item label={t.title} htmlFor="conversation-title">
          <Input
            id="conversation-title"
            value={title}
            maxLength={200}
            ref={input}
            onChange={(event) => setTitle(event.target.value)}
          />
        </Form.Item>
      </Form>
    </Modal>
  );
}
