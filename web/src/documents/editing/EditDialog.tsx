import { useQueryClient } from "@tanstack/react-query";
import { App, Form, Input, Modal, Select } from "antd";
import { asProblem } from "@/api/problem";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { TagsInput } from "../DetailsFields";
import type { Document } from "../following";
import { useEditing } from "../queries";
import { useReaderChoices } from "../readers";
import { documentStrings } from "../strings";
import { answersOf, changesOf, type EditAnswers } from "./changes";
import { editingStrings } from "./strings";

const LONGEST_TITLE = 300;

/** Changes title, tags and readers of an own document. */
export default function EditDialog({ document, onClose }: { document: Document; onClose: () => void }) {
  const t = useStrings(editingStrings);
  const words = useStrings(documentStrings);
  const shared = useStrings(sharedStrings);
  const { message } = App.useApp();
  const [form] = Form.useForm<EditAnswers>();
  const readers = useReaderChoices(document);
  const queries = useQueryClient();
  const editing = useEditing(document.id);

  function save(answers: EditAnswers): void {
    const changes = changesOf(document, answers);
    if (!changes) {
      onClose();
      return;
    }
    editing.mutate(changes, {
      onSuccess: () => {
        message.success(t.saved);
        onClose();
      },
      onError: (error) => {
        // The document has the change already; it reaches the indexes by itself.
        if (asProblem(error).reason !== "index_unavailable") return;
        void queries.invalidateQueries({ queryKey: ["documents"] });
        message.warning(t.savedLater, 8);
        onClose();
      },
    });
  }

  return (
    <Modal
      open
      title={t.editTitle(document.title)}
      okText={shared.save}
      cancelText={shared.cancel}
      closable={{ "aria-label": shared.close }}
      confirmLoading={editing.isPending}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      {editing.isError && <ProblemNotice error={editing.error} />}
      <Form<EditAnswers>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={answersOf(document)}
        onFinish={save}
      >
        <Form.Item
          name="title"
          label={t.title}
          extra={t.titleHint}
          rules={[{ max: LONGEST_TITLE, message: t.titleTooLong }]}
        >
          <Input />
        </Form.Item>
        <Form.Item name="tags" label={words.tags} extra={words.tagsHint}>
          <TagsInput />
        </Form.Item>
        <Form.Item name="readers" label={words.readers} extra={t.readersHint}>
          <Select options={readers} />
        </Form.Item>
        <input type="submit" hidden />
      </Form>
    </Modal>
  );
}
