import { CheckCircleOutlined, DownloadOutlined } from "@ant-design/icons";
import { useMutation } from "@tanstack/react-query";
import { Button, Segmented, Skeleton } from "antd";
import { useSearchParams } from "react-router";
import { appStrings } from "@/app/strings";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { saveAs } from "@/shared/save-as";
import { sharedStrings } from "@/shared/strings";
import { useFailureToast } from "@/shared/use-failure-toast";
import { DeadLetterCard } from "./DeadLetterCard";
import { exportName } from "./letters";
import { exported, SERVICES, type Service, useDeadLetters } from "./queries";
import { deadLetterStrings } from "./strings";
import "../admin.css";
import "./dead-letters.css";

export default function DeadLettersPage() {
  const app = useStrings(appStrings);
  const t = useStrings(deadLetterStrings);
  const shared = useStrings(sharedStrings);
  const failed = useFailureToast();
  const [parameters, setParameters] = useSearchParams();
  const service = SERVICES.find((name) => name === parameters.get("service")) ?? "ingestion";
  const found = useDeadLetters(service);
  const letters = found.data?.pages.flatMap((page) => page.dead_letters) ?? [];
  const exporting = useMutation({
    mutationFn: exported,
    onSuccess: (content) => saveAs(content, exportName(new Date())),
    onError: failed,
  });

  function list() {
    if (found.isPending) return <Skeleton active paragraph={{ rows: 4 }} />;
    if (found.isError && !letters.length) return <ProblemNotice error={found.error} onRetry={found.refetch} />;
    if (!letters.length) return <Empty icon={<CheckCircleOutlined aria-hidden />} title={t.none} text={t.noneText} />;
    return (
      <ul className="cards" aria-label={t.list}>
        {letters.map((letter) => (
          <DeadLetterCard key={letter.event_id} letter={letter} />
        ))}
      </ul>
    );
  }

  return (
    <Page
      title={app.deadLetters}
      intro={t.intro}
      actions={
        <Button
          icon={<DownloadOutlined aria-hidden />}
          loading={exporting.isPending}
          onClick={() => exporting.mutate()}
        >
          {t.export}
        </Button>
      }
    >
      <Segmented<Service>
        className="service-choice"
        aria-label={t.service}
        value={service}
        options={SERVICES.map((value) => ({ value, label: t.services(value) }))}
        onChange={(value) => setParameters({ service: value }, { replace: true })}
      />
      <div aria-busy={found.isFetching}>{list()}</div>
      {found.isError && letters.length > 0 && <ProblemNotice error={found.error} onRetry={found.refetch} />}
      {found.hasNextPage && (
        <Button block onClick={() => found.fetchNextPage()} loading={found.isFetchingNextPage} className="load-more">
          {shared.loadMore}
        </Button>
      )}
    </Page>
  );
}
