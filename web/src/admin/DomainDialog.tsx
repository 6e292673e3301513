import { useMutation, useQueryClient } from "@tanstack/react-query";
import { App, Form, Input, Modal } from "antd";
import { useState } from "react";
import { answerOf, api, type Schemas } from "@/api/client";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { DOMAINS, type ManagedDomain } from "./domains";
import { CodeField, NameField } from "./fields";
import { OrgTagSelect, useOrgTree } from "./OrgTagSelect";
import { useOrgTags } from "./org-tags";
import { suggestedCode } from "./org-tree";
import { adminStrings } from "./strings";

const LONGEST_DESCRIPTION = 1000;

type Fields = Schemas["DomainBody"];

/** What is described: a domain that is kept, a code that documents carry, or (null) a new one. */
export type Described = { domain: ManagedDomain } | { code: string } | null;

export function DomainDialog({ described, onClose }: { described: Described; onClose: () => void }) {
  const t = useStrings(adminStrings);
  const shared = useStrings(sharedStrings);
  const { message } = App.useApp();
  const queries = useQueryClient();
  const tags = useOrgTags();
  const nodes = useOrgTree(tags.data ?? []);
  const [form] = Form.useForm<Fields>();
  const [codeIsOwn, setCodeIsOwn] = useState(described !== null);
  const kept = described && "domain" in described ? described.domain : null;
  const saving = useMutation({
    mutationFn: async () => {
      const { code, ...fields } = await form.validateFields();
      const body = { ...fields, owner_org_tag: fields.owner_org_tag ?? null };
      return kept
        ? answerOf(api.PUT("/api/v1/admin/domains/{code}", { params: { path: { code: kept.code } }, body }))
        : answerOf(api.POST("/api/v1/admin/domains", { body: { ...body, code } }));
    },
    onSuccess: async (domain) => {
      await queries.invalidateQueries({ queryKey: DOMAINS });
      message.success(t.domainSaved(domain.name));
      onClose();
    },
  });
  return (
    <Modal
      open
      title={kept ? t.editDomain(kept.name) : described ? t.describeTitle(codeOf(described)) : t.newDomain}
      okText={shared.save}
      cancelText={shared.cancel}
      onOk={() => saving.mutate()}
      onCancel={onClose}
      confirmLoading={saving.isPending}
    >
      {saving.error instanceof Error && <ProblemNotice error={saving.error} />}
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={kept ?? { code: codeOf(described), name: "", description: "", owner_org_tag: null }}
        onValuesChange={(changed) => {
          if ("code" in changed) setCodeIsOwn(changed.code !== "");
          else if ("name" in changed && !codeIsOwn) form.setFieldValue("code", suggestedCode(changed.name ?? ""));
        }}
      >
        <NameField placeholder={t.domainNameExample} />
        <CodeField disabled={described !== null} />
        <Form.Item
          name="description"
          label={t.description}
          extra={t.descriptionExplained}
          rules={[{ max: LONGEST_DESCRIPTION, message: t.descriptionTooLong }]}
        >
          <Input.TextArea autoSize={{ minRows: 4, maxRows: 10 }} placeholder={t.descriptionExample} />
        </Form.Item>
        <Form.Item name="owner_org_tag" label={t.ownerTag} extra={t.ownerExplained}>
          <OrgTagSelect nodes={nodes} placeholder={t.everybody} />
        </Form.Item>
      </Form>
    </Modal>
  );
}

function codeOf(described: Described): string {
  if (!described) return "";
  return "domain" in described ? described.domain.code : described.code;
}
