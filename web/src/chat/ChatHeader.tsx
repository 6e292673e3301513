import { BulbOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useSearchParams } from "react-router";
import { useStrings } from "@/shared/language";
import { ConversationMenu } from "./ConversationMenu";
import type { Conversation } from "./conversations";
import { chatStrings } from "./strings";

/** The open conversation: its title, its memory, and what one can do with it. */
export function ChatHeader({ conversation }: { conversation: Conversation }) {
  const t = useStrings(chatStrings);
  const setParameters = useSearchParams()[1];
  return (
    <header className="chat-header">
      <h1>{conversation.title || t.untitled}</h1>
      <Button type="text" icon={<BulbOutlined aria-hidden />} onClick={() => setParameters({ beside: "memory" })}>
        {t.memory}
      </Button>
      <ConversationMenu conversation={conversation} size="middle" />
    </header>
  );
}
