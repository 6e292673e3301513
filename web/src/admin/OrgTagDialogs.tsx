import { useMutation, useQueryClient } from "@tanstack/react-query";
import { App, Form, Modal } from "antd";
import { type ReactNode, useState } from "react";
import { answerOf, api, type Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { CodeField, NameField } from "./fields";
import { OrgTagSelect } from "./OrgTagSelect";
import { ORG_TAGS } from "./org-tags";
import { type OrgNode, type OrgTag, suggestedCode, without } from "./org-tree";
import { adminStrings } from "./strings";

/** Asks for a new tag's name and code; `under` null adds it at the top. */
export function AddTagDialog({ under, onClose }: { under: OrgTag | null; onClose: () => void }) {
  const t = useStrings(adminStrings);
  const [form] = Form.useForm<{ name: string; code: string }>();
  const [codeIsOwn, setCodeIsOwn] = useState(false);
  return (
    <TagDialog
      title={under ? t.addBelow(under.name) : t.addTag}
      save={async () => {
        const { name, code } = await form.validateFields();
        const body = { name, code, parent_code: under?.code ?? null };
        return answerOf(api.POST("/api/v1/admin/org-tags", { body }));
      }}
      words={(tag) => t.tagAdded(tag.name)}
      onClose={onClose}
    >
      {(submit) => (
        <Form
          form={form}
          layout="vertical"
          requiredMark={false}
          onFinish={submit}
          onValuesChange={(changed) => {
            if ("code" in changed) setCodeIsOwn(changed.code !== "");
            else if (!codeIsOwn) form.setFieldValue("code", suggestedCode(changed.name ?? ""));
          }}
        >
          <NameField placeholder={t.tagNameExample} />
          <CodeField />
          <SubmitByEnter />
        </Form>
      )}
    </TagDialog>
  );
}

export function RenameTagDialog({ tag, onClose }: { tag: OrgTag; onClose: () => void }) {
  const t = useStrings(adminStrings);
  const [form] = Form.useForm<{ name: string }>();
  return (
    <TagDialog
      title={t.renameTitle(tag.name)}
      save={async () => change(tag.code, await form.validateFields())}
      words={() => t.done}
      onClose={onClose}
    >
      {(submit) => (
        <Form form={form} layout="vertical" requiredMark={false} initialValues={{ name: tag.name }} onFinish={submit}>
          <NameField placeholder={t.tagNameExample} />
          <SubmitByEnter />
        </Form>
      )}
    </TagDialog>
  );
}

/** Asks where a tag goes: under any other that does not lie below it, or to the top. */
export function MoveTagDialog({
  tag,
  nodes,
  onClose,
}: {
  tag: OrgTag;
  nodes: readonly OrgNode[];
  onClose: () => void;
}) {
  const t = useStrings(adminStrings);
  const [parent, setParent] = useState(tag.parent_code);
  return (
    <TagDialog
      title={t.moveTitle(tag.name)}
      save={() => change(tag.code, { parent_code: parent })}
      words={() => t.done}
      onClose={onClose}
    >
      {() => (
        <Form layout="vertical">
          <p className="dialog-intro">{t.moveExplained}</p>
          <Form.Item label={t.newParent} htmlFor="new-parent">
            <OrgTagSelect
              id="new-parent"
              nodes={without(tag.code, nodes)}
              value={parent}
              onChange={setParent}
              placeholder={t.topLevel}
            />
          </Form.Item>
        </Form>
      )}
    </TagDialog>
  );
}

function change(code: string, body: Schemas["OrgTagChangeBody"]): Promise<OrgTag> {
  return answerOf(api.PATCH("/api/v1/admin/org-tags/{code}", { params: { path: { code } }, body }));
}

interface TagDialogProps {
  title: string;
  /** Rejects with a problem, or with what the form says is wrong. */
  save: () => Promise<OrgTag>;
  words: (tag: OrgTag) => string;
  onClose: () => void;
  children: (submit: () => void) => ReactNode;
}

function TagDialog({ title, save, words, onClose, children }: TagDialogProps) {
  const shared = useStrings(sharedStrings);
  const { message } = App.useApp();
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: save,
    onSuccess: async (tag) => {
      await queries.invalidateQueries({ queryKey: ORG_TAGS });
      message.success(words(tag));
      onClose();
    },
  });
  const submit = () => saving.mutate();
  return (
    <Modal
      open
      title={title}
      okText={shared.save}
      cancelText={shared.cancel}
      onOk={submit}
      onCancel={onClose}
      confirmLoading={saving.isPending}
    >
      {saving.error instanceof Error && <ProblemNotice error={saving.error} />}
      {children(submit)}
    </Modal>
  );
}

/** Lets Enter in a form save although the dialog's own button stands outside of it. */
function SubmitByEnter() {
  return <input type="submit" hidden />;
}
