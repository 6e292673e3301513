import { FieldTimeOutlined } from "@ant-design/icons";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button, Table, type TableColumnsType, Tag } from "antd";
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "@/api/client";
import { appStrings } from "@/app/strings";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { useFormats } from "@/shared/time";
import { modeName, stateName, turnStrings } from "./strings";
import "./turns.css";

type Summary = Schemas["TurnSummary"];

const PAGE = 50;
const COLOURS = { COMPLETED: "success", FAILED: "error", CANCELLED: "warning", RUNNING: "processing" } as const;

export default function TurnsPage() {
  const app = useStrings(appStrings);
  const shared = useStrings(sharedStrings);
  const t = useStrings(turnStrings);
  const f = useFormats();
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["turns", "list"],
    initialPageParam: "",
    queryFn: ({ pageParam }) =>
      answerOf(api.GET("/api/v1/traces/turns", { params: { query: { limit: PAGE, cursor: pageParam } } })),
    getNextPageParam: (page) => page.next_cursor,
  });
  const turns = data?.pages.flatMap((page) => page.turns) ?? [];
  const columns: TableColumnsType<Summary> = [
    {
      title: t.startedAt,
      key: "started",
      render: (_, turn) => <Link to={`/turns/${turn.turn_id}`}>{f.time(turn.started_at)}</Link>,
    },
    { title: t.mode, key: "mode", render: (_, turn) => modeName(t, turn.mode) },
    {
      title: t.state,
      key: "state",
      render: (_, turn) => (
        <Tag color={turn.state === "UNSPECIFIED" ? undefined : COLOURS[turn.state]}>{stateName(t, turn.state)}</Tag>
      ),
    },
    { title: t.duration, key: "duration", align: "right", render: (_, turn) => f.duration(milliseconds(turn)) },
    {
      title: t.firstWord,
      key: "first",
      align: "right",
      render: (_, turn) => (turn.first_delta_ms > 0 ? f.duration(turn.first_delta_ms) : "–"),
    },
    {
      title: t.tokens,
      key: "tokens",
      align: "right",
      render: (_, { usage }) => `${f.number(usage.input_tokens)} / ${f.number(usage.output_tokens)}`,
    },
    { title: t.cost, key: "cost", align: "right", render: (_, { usage }) => usage.cost.toFixed(4) },
  ];
  return (
    <Page title={app.turns} intro={t.turnsIntro}>
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data && turns.length === 0 ? (
        <Empty icon={<FieldTimeOutlined aria-hidden />} title={t.empty} text={t.emptyText}>
          <Link to="/chat">
            <Button type="primary" tabIndex={-1}>
              {t.ask}
            </Button>
          </Link>
        </Empty>
      ) : (
        <Table<Summary>
          rowKey="turn_id"
          columns={columns}
          dataSource={turns}
          loading={isPending}
          pagination={false}
          size="middle"
          scroll={{ x: "max-content" }}
        />
      )}
      {hasNextPage && (
        <Button className="more" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {shared.loadMore}
        </Button>
      )}
    </Page>
  );
}

function milliseconds({ started_at, completed_at }: Summary): number {
  return started_at && completed_at ? Date.parse(completed_at) - Date.parse(started_at) : 0;
}
