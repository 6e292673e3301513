import { MessageOutlined } from "@ant-design/icons";
import { Button, Skeleton } from "antd";
import { Link, useParams } from "react-router";
import { useUser } from "@/auth/use-session";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { useFormats } from "@/shared/time";
import { figuresOfTrace } from "./figures";
import { RunAgain } from "./RunAgain";
import { turnStrings } from "./strings";
import { TurnDetails } from "./TurnDetails";
import { useTurn } from "./use-turn";

export default function TurnPage() {
  const t = useStrings(turnStrings);
  const f = useFormats();
  const user = useUser();
  const { data, error, isPending, refetch } = useTurn(useParams().turnId ?? "");
  return (
    <Page
      title={data?.plan?.original_question || t.turn}
      intro={data && f.time(data.started_at)}
      actions={
        data && (
          <>
            {data.user_id === user.id && data.plan && data.state !== "RUNNING" && <RunAgain turn={data} />}
            <Link to={`/chat/${data.conversation_id}`}>
              <Button icon={<MessageOutlined aria-hidden />} tabIndex={-1}>
                {t.openConversation}
              </Button>
            </Link>
          </>
        )
      }
    >
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton active paragraph={{ rows: 10 }} />}
      {data?.replays_turn_id && (
        <p className="turn-of-another">
          <Link to={`/turns/${data.replays_turn_id}`}>{t.replays}</Link>
        </p>
      )}
      {data && <TurnDetails figures={figuresOfTrace(data)} heading="h2" />}
    </Page>
  );
}
