import { CommentOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Button } from "antd";
import { useEffect } from "react";
import { Link } from "react-router";
import { asProblem } from "@/api/problem";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { drafts } from "./drafts";
import { chatStrings } from "./strings";

/** Whether a conversation was not found: deleted in another tab or elsewhere, or somebody else's. */
export function isGone(error: unknown): boolean {
  return error !== null && asProblem(error).reason === "unknown_conversation";
}

/** In the place of a conversation that is no more. What was being typed in it goes along into a new one. */
export function GoneConversation({ conversationId }: { conversationId: string }) {
  const t = useStrings(chatStrings);
  const queries = useQueryClient();
  useEffect(() => void queries.invalidateQueries({ queryKey: ["conversations"] }), [queries]);
  return (
    <Empty heading="h1" icon={<CommentOutlined aria-hidden />} title={t.goneTitle} text={t.goneText}>
      <Link to="/chat" onClick={() => drafts.move(conversationId, "")}>
        <Button type="primary" tabIndex={-1}>
          {t.newChat}
        </Button>
      </Link>
    </Empty>
  );
}
