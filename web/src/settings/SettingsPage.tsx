import { useStrings } from "@/shared/language";
import { Page } from "@/shared/Page";
import { LongTermMemory } from "./LongTermMemory";
import { settingsStrings } from "./strings";
import "./settings.css";

export default function SettingsPage() {
  const t = useStrings(settingsStrings);
  return (
    <Page title={t.title}>
      <LongTermMemory />
    </Page>
  );
}
