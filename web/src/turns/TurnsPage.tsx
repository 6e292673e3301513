import { appStrings } from "@/app/strings";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";

export default function TurnsPage() {
  const t = useStrings(appStrings);
  return <Page title={t.turns}>{null}</Page>;
}
