import { appStrings } from "@/app/strings";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";

export default function RetrievalPage() {
  const t = useStrings(appStrings);
  return <Page title={t.retrieval}>{null}</Page>;
}
