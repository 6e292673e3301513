import { appStrings } from "@/app/strings";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";

export default function DocumentPage() {
  const t = useStrings(appStrings);
  return <Page title={t.documents}>{null}</Page>;
}
