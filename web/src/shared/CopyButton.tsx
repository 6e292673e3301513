import { CheckOutlined, CopyOutlined } from "@ant-design/icons";
import { Button, type ButtonProps } from "antd";
import { useEffect, useState } from "react";
import { copyText } from "./clipboard";
import { useStrings } from "./language";
import { sharedStrings } from "./strings";

const SHOWN_MS = 1500;

/** Copies a text and says so for a moment; `label` is its accessible name. */
export function CopyButton({
  text,
  label,
  size = "small",
}: {
  text: string;
  label: string;
  size?: ButtonProps["size"];
}) {
  const t = useStrings(sharedStrings);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      type="text"
      size={size}
      icon={copied ? <CheckOutlined aria-hidden /> : <CopyOutlined aria-hidden />}
      aria-label={copied ? t.copied : label}
      title={copied ? t.copied : label}
      onClick={() => void copyText(text).then(setCopied)}
    />
  );
}
