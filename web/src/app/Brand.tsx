import { Link } from "react-router";
import { useStrings } from "@/shared/language";
import { sharedStrings } from "@/shared/strings";

export function Brand() {
  const t = useStrings(sharedStrings);
  return (
    <Link to="/chat" className="brand">
      <img src="/favicon.svg" alt="" width={26} height={26} />
      <span>{t.productName}</span>
    </Link>
  );
}
