import { AutoComplete, Checkbox, Form, Select } from "antd";
import { useStrings } from "@/shared/language";
import type { Details } from "./details";
import { useDomains } from "./queries";
import { choiceOf, useReaderChoices, visibilityOf } from "./readers";
import { documentStrings } from "./strings";
import "./dialogs.css";

const MOST_TAGS = 32;

/** What the fields hold. */
export interface DetailsAnswers {
  domain?: string;
  tags?: string[];
  readers: string;
  language: Details["language"];
  review: boolean;
}

export const NO_ANSWERS: DetailsAnswers = {
  readers: choiceOf({ org_tag: "", is_public: false }),
  language: "",
  review: false,
};

/** Fields of a form for what may be said of documents that are about to come. */
export function DetailsFields() {
  const t = useStrings(documentStrings);
  const domains = useDomains();
  const readers = useReaderChoices();
  return (
    <>
      <Form.Item name="domain" label={t.domain} extra={t.domainHint} rules={[{ max: 64 }]}>
        <AutoComplete
          allowClear
          options={domains.map(({ code, name }) => ({
            value: code,
            label: name === code ? code : `${name} (${code})`,
          }))}
          showSearch={{
            filterOption: (typed, option) => `${option?.label}`.toLowerCase().includes(typed.toLowerCase()),
          }}
        />
      </Form.Item>
      <Form.Item name="tags" label={t.tags} extra={t.tagsHint}>
        <TagsInput />
      </Form.Item>
      <div className="form-pair">
        <Form.Item name="readers" label={t.readers} extra={t.readersHint}>
          <Select options={readers} />
        </Form.Item>
        <Form.Item name="language" label={t.language}>
          <Select
            options={[
              { value: "", label: t.detectLanguage },
              { value: "zh", label: t.chinese },
              { value: "en", label: t.english },
            ]}
          />
        </Form.Item>
      </div>
      <Form.Item name="review" valuePropName="checked" className="review-option" extra={t.reviewHint}>
        <Checkbox>{t.review}</Checkbox>
      </Form.Item>
    </>
  );
}

/** Tags as they are typed; `value` and the like come from the form's item. */
export function TagsInput(field: { id?: string; value?: string[]; onChange?: (tags: string[]) => void }) {
  return (
    <Select
      {...field}
      mode="tags"
      open={false}
      suffixIcon={null}
      maxCount={MOST_TAGS}
      tokenSeparators={[",", "，", ";"]}
    />
  );
}

export function detailsOf({ domain, tags, readers, language, review }: DetailsAnswers): Details {
  return {
    domain_code: domain?.trim() ?? "",
    tags: trimmed(tags),
    ...visibilityOf(readers),
    language,
    review_strategy: review,
  };
}

/** Tags as the API takes them. */
export function trimmed(tags: readonly string[] | undefined): string[] {
  return tags?.map((tag) => tag.trim()).filter(Boolean) ?? [];
}
