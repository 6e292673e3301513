import { CloseOutlined, FileOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Modal } from "antd";
import { useStrings } from "@/shared/language";
import { sharedStrings } from "@/shared/strings";
import { useFormats } from "@/shared/time";
import { type DetailsAnswers, DetailsFields, detailsOf, NO_ANSWERS } from "../DetailsFields";
import type { Details } from "../details";
import { documentStrings } from "../strings";
import { useFilePicker } from "./use-file-picker";
import "./upload.css";

/** The server's limit. */
const MOST_BYTES = 10 * 1024 ** 3;

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
  const [form] = Form.useForm<DetailsAnswers>();
  const { pick, input } = useFilePicker((more) => onFiles([...files, ...more]));
  const fitting = files.filter((file) => file.size <= MOST_BYTES);

  return (
    <Modal
      open={files.length > 0}
      title={t.uploadTitle(fitting.length)}
      okText={t.uploadButton(fitting.length)}
      cancelText={shared.cancel}
      className="tall-dialog"
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
      <Form<DetailsAnswers>
        form={form}
        layout="vertical"
        initialValues={NO_ANSWERS}
        onFinish={(answers) => onUpload(fitting, detailsOf(answers))}
      >
        <DetailsFields />
      </Form>
    </Modal>
  );
}
