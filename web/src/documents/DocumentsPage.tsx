import { appStrings } from "@/app/strings";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";

export default function DocumentsPage() {
  const t = useStrings(appStrings);
  return <Page title={t.documents}>{null}</Page>;
}
