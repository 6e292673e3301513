import { CompassOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { Link } from "react-router";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { useTitle } from "@/shared/Page";
import { appStrings } from "./strings";

export function NotFound() {
  const t = useStrings(appStrings);
  useTitle(t.notFoundTitle);
  return (
    <Empty heading="h1" icon={<CompassOutlined aria-hidden />} title={t.notFoundTitle} text={t.notFoundText}>
      <Link to="/chat">
        <Button type="primary" tabIndex={-1}>
          {t.backToChat}
        </Button>
      </Link>
    </Empty>
  );
}
