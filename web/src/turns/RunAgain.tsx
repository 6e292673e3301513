import { RedoOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { Schemas } from "@/api/client";
import { turns } from "@/chat/turns";
import { useStrings } from "@/shared/language";
import { useFailureToast } from "@/shared/use-failure-toast";
import { turnStrings } from "./strings";

/** Runs a turn's plan again, as a new turn of its conversation, and goes there. */
export function RunAgain({ turn }: { turn: Schemas["TurnAnswer"] }) {
  const t = useStrings(turnStrings);
  const navigate = useNavigate();
  const failed = useFailureToast();
  const [isAsking, setIsAsking] = useState(false);

  async function run() {
    setIsAsking(true);
    const { turn_id: turnId, conversation_id: conversationId } = turn;
    const question = turn.plan?.original_question ?? "";
    const ended = await turns.replay({ turnId, conversationId, question }, (conversation) => {
      setIsAsking(false);
      void navigate(`/chat/${conversation}`);
    });
    if (ended.turnId || !ended.failure?.problem) return;
    // It was not taken: the conversation is busy, for example.
    turns.forget(ended.key);
    setIsAsking(false);
    failed(ended.failure.problem);
  }

  return (
    <Button icon={<RedoOutlined aria-hidden />} loading={isAsking} onClick={() => void run()}>
      {t.runAgain}
    </Button>
  );
}
