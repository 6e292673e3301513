import { Spin } from "antd";
import { useStrings } from "@/shared/language";
import { sharedStrings } from "@/shared/strings";

export function Loading() {
  const t = useStrings(sharedStrings);
  return (
    <div className="loading" role="status" aria-label={t.loading}>
      <Spin delay={200} />
    </div>
  );
}
