import { FileAddOutlined, MessageOutlined } from "@ant-design/icons";
import { useQuery } from "@tanstack/react-query";
import { Button, Skeleton } from "antd";
import { Link } from "react-router";
import { answerOf, api } from "@/api/client";
import { useStrings } from "@/shared/language";
import { chatStrings } from "./strings";

/** Before the first question: what to ask, made of the documents that are really there; without any, where to begin. */
export function Welcome({ onAsk }: { onAsk: (question: string) => void }) {
  const t = useStrings(chatStrings);
  const { data, isPending } = useQuery({
    queryKey: ["domains"],
    queryFn: () => answerOf(api.GET("/api/v1/domains")),
  });
  if (isPending) return <Skeleton className="welcome" active title={{ width: "40%" }} paragraph={{ rows: 3 }} />;
  const titles = data?.domains.flatMap(({ sample_titles }) => sample_titles) ?? [];
  const [first, second] = titles;
  if (data && !first) {
    return (
      <div className="welcome">
        <span className="empty-icon" aria-hidden="true">
          <FileAddOutlined aria-hidden />
        </span>
        <h1>{t.welcomeNoDocuments}</h1>
        <p>{t.welcomeNoDocumentsText}</p>
        <Link to="/documents" className="welcome-action">
          <Button type="primary" size="large" tabIndex={-1}>
            {t.upload}
          </Button>
        </Link>
        <Examples questions={[t.exampleHello]} onAsk={onAsk} />
      </div>
    );
  }
  const questions = [
    ...(first ? [t.exampleAbout(first)] : []),
    ...(second ? [t.exampleSteps(second)] : first ? [t.exampleSteps(first)] : []),
    t.exampleHello,
  ];
  return (
    <div className="welcome">
      <span className="empty-icon" aria-hidden="true">
        <MessageOutlined aria-hidden />
      </span>
      <h1>{t.welcome}</h1>
      <p>{t.welcomeText}</p>
      <Examples questions={questions} onAsk={onAsk} />
    </div>
  );
}

function Examples({ questions, onAsk }: { questions: readonly string[]; onAsk: (question: string) => void }) {
  const t = useStrings(chatStrings);
  return (
    <section aria-label={t.tryAsking} className="examples">
      {questions.map((question) => (
        <button type="button" key={question} onClick={() => onAsk(question)}>
          {question}
        </button>
      ))}
    </section>
  );
}
