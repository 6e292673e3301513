import { CloseOutlined, FileOutlined, PlusOutlined } from "@ant-design/icons";
import { AutoComplete, Button, Form, Modal, Select } from "antd";
import { useUser } from "@/auth/use-session";
import { useStrings } from "@/shared/language";
import { sharedStrings } from "@/shared/strings";
import { useFormats } from "@/shared/time";
import { useDomains } from "../queries";
import { documentStrings } from "../strings";
import type { Details } from "./kept";
import { useFilePicker } from "./use-file-picker";

/** The server's limit. */
const MOST_BYTES = 10 * 1024 ** 3;
const MOST_TAGS = 32;

const ONLY_ME = "me";
const EVERYBODY = "everybody";

interface Answers {
  domain?: string;
  tags?: string[];
  /** `me`, `everybody`, or `tag:` with the code of an org tag. */
  readers: string;
  language: Details["language"];
}

interface UploadDialogProps {
  files: readonly File[];
  onFiles: (files: readonly File[]) => void;
  onUpload: (files: readonly File[], details: Details) => void;
}

/** What is about to be uploaded, and what may be said about it. Closed while there are no files. */
export function UploadDialog({ files, onFiles, onUpload }: UploadDialogProps) {
  const t = useStrings(documentStrings);
  const shared = useStrings(sharedStrings);
  const formats = useFormats();
  const user = useUser();
  const domains = useDomains();
  const [form] = Form.useForm<Answers>();
  const { pick, input } = useFilePicker((more) => onFiles([...files, ...more]));
  const fitting = files.filter((file) => file.size <= MOST_BYTES);

  return (
    <Modal
      open={files.length > 0}
      title={t.uploadTitle(fitting.length)}
      okText={t.uploadButton(fitting.length)}
      cancelText={shared.cancel}
      okButtonProps={{ disabled: fitting.length === 0 }}
      closable={{ "aria-label": shared.close }}
      onOk={() => form.submit()}
      onCancel={() => onFiles([])}
      destroyOnHidden
    >
      {input}
      <ul className="chosen-files">
        {files.map((file, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be there twice
          <li key={`${position}-${file.name}`}>
            <FileOutlined aria-hidden />
            <span className="file-name" title={file.name}>
              {file.name}
            </span>
            <span className={file.size > MOST_BYTES ? "is-danger" : "is-soft"}>
              {file.size > MOST_BYTES ? t.tooLarge : formats.size(file.size)}
            </span>
            <Button
              type="text"
              size="small"
              icon={<CloseOutlined aria-hidden />}
              aria-label={t.leaveOut(file.name)}
              onClick={() => onFiles(files.filter((other) => other !== file))}
            />
          </li>
        ))}
      </ul>
      <Button type="dashed" size="small" icon={<PlusOutlined aria-hidden />} onClick={pick}>
        {t.addFiles}
      </Button>
      <h3 className="dialog-heading">{t.details}</h3>
      <Form<Answers>
        form={form}
        layout="vertical"
        initialValues={{ readers: ONLY_ME, language: "" }}
        onFinish={(answers) => onUpload(fitting, detailsOf(answers))}
      >
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
          <Select mode="tags" open={false} suffixIcon={null} maxCount={MOST_TAGS} tokenSeparators={[",", "，", ";"]} />
        </Form.Item>
        <div className="form-pair">
          <Form.Item name="readers" label={t.readers} extra={t.readersHint}>
            <Select
              options={[
                { value: ONLY_ME, label: t.onlyMe },
                ...user.org_tags.map((tag) => ({ value: `tag:${tag}`, label: t.members(tag) })),
                { value: EVERYBODY, label: t.everybody },
              ]}
            />
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
      </Form>
    </Modal>
  );
}

function detailsOf({ domain, tags, readers, language }: Answers): Details {
  return {
    domain_code: domain?.trim() ?? "",
    tags: tags?.map((tag) => tag.trim()).filter(Boolean) ?? [],
    org_tag: readers.startsWith("tag:") ? readers.slice("tag:".length) : "",
    is_public: readers === EVERYBODY,
    language,
  };
}
