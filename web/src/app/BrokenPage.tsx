import { WarningOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useRouteError } from "react-router";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { useTitle } from "@/shared/Page";
import { appStrings } from "./strings";

/** What is shown where a page threw, or where its code could not be loaded (a new version was installed meanwhile). */
export function BrokenPage() {
  const t = useStrings(appStrings);
  const error = useRouteError();
  useTitle(t.brokenTitle);
  return (
    <Empty heading="h1" icon={<WarningOutlined aria-hidden />} title={t.brokenTitle} text={t.brokenText}>
      <Button type="primary" onClick={() => location.reload()}>
        {t.reload}
      </Button>
      <pre className="small-print">{error instanceof Error ? error.message : String(error)}</pre>
    </Empty>
  );
}
