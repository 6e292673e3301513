/** The fields that org tags and domains have in common, with the server's rules. */
import { Form, Input } from "antd";
import { useStrings } from "@/shared/language";
import { isCode } from "./org-tree";
import { adminStrings } from "./strings";

export function NameField({ placeholder }: { placeholder: string }) {
  const t = useStrings(adminStrings);
  return (
    <Form.Item
      name="name"
      label={t.name}
      rules={[
        { required: true, whitespace: true, message: t.nameNeeded },
        { max: 200, message: t.nameTooLong },
      ]}
    >
      <Input placeholder={placeholder} autoFocus autoComplete="off" />
    </Form.Item>
  );
}

export function CodeField({ disabled = false }: { disabled?: boolean }) {
  const t = useStrings(adminStrings);
  return (
    <Form.Item
      name="code"
      label={t.code}
      extra={disabled ? undefined : t.codeRule}
      rules={[
        { required: true, message: t.codeNeeded },
        {
          validator: (_, code) =>
            !code || isCode(code) ? Promise.resolve() : Promise.reject(new Error(t.codeIsWrong)),
        },
      ]}
    >
      <Input disabled={disabled} autoComplete="off" spellCheck={false} className="code-input" />
    </Form.Item>
  );
}
