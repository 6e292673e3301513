import { FilterOutlined, SearchOutlined } from "@ant-design/icons";
import { Button, Form, Input, InputNumber, Select, type SelectProps } from "antd";
import { useState } from "react";
import { useDomains } from "@/documents/queries";
import { sends } from "@/shared/keys";
import { useStrings } from "@/shared/language";
import { type Asked, filterCount, MOST_CHARACTERS, MOST_HINT_CHARACTERS, MOST_TOP_K } from "./asking";
import { useDocumentChoices } from "./queries";
import { retrievalStrings } from "./strings";

interface AskFormProps {
  asked: Asked;
  busy: boolean;
  onAsk: (asked: Asked) => void;
}

/** A question and where to look for its answer. Enter asks, Shift+Enter begins a new line. */
export function AskForm({ asked, busy, onAsk }: AskFormProps) {
  const t = useStrings(retrievalStrings);
  const [form] = Form.useForm<Asked>();
  const domains = useDomains();
  const [typed, setTyped] = useState("");
  const chosen = Form.useWatch("documents", { form, preserve: true }) ?? asked.documents;
  const documents = useDocumentChoices(typed, chosen);
  const count = filterCount(asked);
  const [open, setOpen] = useState(count > 0);

  return (
    <Form<Asked>
      form={form}
      layout="vertical"
      requiredMark={false}
      className="ask-form"
      initialValues={asked}
      onFinish={(values) =>
        onAsk({
          ...asked,
          ...values,
          question: values.question.trim(),
          historyHint: values.historyHint?.trim() ?? "",
          hintWords: values.hintWords ?? [],
        })
      }
    >
      <Form.Item
        name="question"
        label={t.question}
        rules={[{ required: true, whitespace: true, message: t.questionNeeded }]}
      >
        <Input.TextArea
          autoFocus
          rows={2}
          maxLength={MOST_CHARACTERS}
          placeholder={t.questionHint}
          onKeyDown={(event) => {
            if (!sends(event)) return;
            event.preventDefault();
            form.submit();
          }}
        />
      </Form.Item>
      <div className="ask-line">
        <Form.Item name="domains" label={t.domains} className="ask-domains">
          <Select
            mode="multiple"
            allowClear
            placeholder={t.allDomains}
            optionFilterProp="label"
            options={domains.map(({ code, name }) => ({
              value: code,
              label: name === code ? code : `${name} (${code})`,
            }))}
          />
        </Form.Item>
        <Form.Item name="topK" label={t.topK}>
          <InputNumber min={1} max={MOST_TOP_K} precision={0} />
        </Form.Item>
        <div className="ask-buttons">
          <Button icon={<FilterOutlined aria-hidden />} aria-expanded={open} onClick={() => setOpen(!open)}>
            {count > 0 ? t.filtersSet(count) : t.filters}
          </Button>
          <Button type="primary" htmlType="submit" icon={<SearchOutlined aria-hidden />} loading={busy}>
            {t.search}
          </Button>
        </div>
      </div>
      <div className="ask-filters" hidden={!open}>
        <Form.Item name="documents" label={t.documents}>
          <Select
            mode="multiple"
            allowClear
            placeholder={t.allDocuments}
            showSearch={{ filterOption: false, onSearch: setTyped }}
            options={documents}
          />
        </Form.Item>
        <Form.Item name="languages" label={t.languages}>
          <Select
            mode="multiple"
            allowClear
            placeholder={t.anyLanguage}
            options={[
              { value: "zh", label: t.chinese },
              { value: "en", label: t.english },
              { value: "und", label: t.otherLanguage },
            ]}
          />
        </Form.Item>
        <Form.Item name="tags" label={t.tags}>
          <Typed placeholder={t.anyTag} />
        </Form.Item>
        <Form.Item name="categories" label={t.categories}>
          <Typed placeholder={t.anyCategory} />
        </Form.Item>
        <Form.Item name="historyHint" label={t.historyHint} extra={t.hintsText}>
          <Input maxLength={MOST_HINT_CHARACTERS} placeholder={t.historyHintExample} allowClear />
        </Form.Item>
        <Form.Item name="hintWords" label={t.hintWords}>
          <Typed placeholder={t.noHintWords} />
        </Form.Item>
      </div>
    </Form>
  );
}

/** Several values that are typed, not chosen. */
function Typed(props: SelectProps<string[]>) {
  return <Select mode="tags" open={false} suffixIcon={null} tokenSeparators={[",", "，", ";"]} {...props} />;
}
