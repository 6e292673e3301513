import { FileUnknownOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { Link } from "react-router";
import { asProblem } from "@/api/problem";
import { Empty } from "@/shared/Empty";
import { useLanguage, useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { wordsForReason } from "@/shared/problem-words";
import { documentStrings } from "./strings";

/** In a document's place: that there is none, or why it cannot be shown. */
export function Missing({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = useStrings(documentStrings);
  const language = useLanguage();
  const problem = asProblem(error);
  return (
    <Page title={t.document}>
      {problem.status === 404 ? (
        <Empty
          icon={<FileUnknownOutlined aria-hidden />}
          title={wordsForReason("unknown_document", problem.detail, language)}
          text={t.gone}
        >
          <Link to="/documents">
            <Button tabIndex={-1}>{t.backToList}</Button>
          </Link>
        </Empty>
      ) : (
        <ProblemNotice error={error} onRetry={onRetry} />
      )}
    </Page>
  );
}
