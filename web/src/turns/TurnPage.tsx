import { MessageOutlined } from "@ant-design/icons";
import { Button, Skeleton } from "antd";
import { Link, useParams } from "react-router";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { useFormats } from "@/shared/time";
import { figuresOfTrace } from "./figures";
import { turnStrings } from "./strings";
import { TurnDetails } from "./TurnDetails";
import { useTurn } from "./use-turn";

export default function TurnPage() {
  const t = useStrings(turnStrings);
  const f = useFormats();
  const { data, error, isPending, refetch } = useTurn(useParams().turnId ?? "");
  return (
    <Page
      title={data?.plan?.original_question || t.turn}
      intro={data && f.time(data.started_at)}
      actions={
        data && (
          <Link to={`/chat/${data.conversation_id}`}>
            <Button icon={<MessageOutlined aria-hidden />} tabIndex={-1}>
              {t.openConversation}
            </Button>
          </Link>
        )
      }
    >
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton active paragraph={{ rows: 10 }} />}
      {data && <TurnDetails figures={figuresOfTrace(data)} heading="h2" />}
    </Page>
  );
}
