import { appStrings } from "@/app/strings";
import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";

export default function UsersPage() {
  const t = useStrings(appStrings);
  return <Page title={t.users}>{null}</Page>;
}
