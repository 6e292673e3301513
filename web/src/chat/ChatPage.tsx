import { appStrings } from "@/app/strings";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";

export default function ChatPage() {
  const t = useStrings(appStrings);
  return <Page title={t.chat}>{null}</Page>;
}
