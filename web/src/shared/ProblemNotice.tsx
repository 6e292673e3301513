import { Alert, Button, Typography } from "antd";
import { asProblem } from "@/api/problem";
import { useLanguage, useStrings } from "./language";
import { wordsFor } from "./problem-words";
import { sharedStrings } from "./strings";

/** A failure in words, with the trace id in small print and a way to try again. */
export function ProblemNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const language = useLanguage();
  const t = useStrings(sharedStrings);
  const problem = asProblem(error);
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={wordsFor(problem, language)}
      description={
        // What a person did wrong needs no looking up.
        problem.traceId && problem.status >= 500 ? (
          <Typography.Text type="secondary" className="small-print" copyable={{ text: problem.traceId }}>
            {t.traceId(problem.traceId)}
          </Typography.Text>
        ) : undefined
      }
      action={
        onRetry &&
        problem.mayPass && (
          <Button size="small" onClick={onRetry}>
            {t.retry}
          </Button>
        )
      }
    />
  );
}
