import { useMutation } from "@tanstack/react-query";
import { App, Form, Modal } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { answerOf, api } from "@/api/client";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { OrgTagSelect, useOrgTree } from "./OrgTagSelect";
import { useOrgTags } from "./org-tags";
import { adminStrings } from "./strings";
import { type ListedUser, useShowChanged } from "./users";

/** Which tags a person has directly. */
export function UserTagsDialog({ user, onClose }: { user: ListedUser; onClose: () => void }) {
  const t = useStrings(adminStrings);
  const shared = useStrings(sharedStrings);
  const { message } = App.useApp();
  const showChanged = useShowChanged();
  const tags = useOrgTags();
  const nodes = useOrgTree(tags.data ?? []);
  const [chosen, setChosen] = useState(user.org_tags);
  const saving = useMutation({
    mutationFn: () =>
      answerOf(
        api.PUT("/api/v1/admin/users/{user_id}/org-tags", {
          params: { path: { user_id: user.id } },
          body: { org_tags: chosen },
        }),
      ),
    onSuccess: (changed) => {
      showChanged(changed);
      message.success(t.tagsSaved(user.username));
      onClose();
    },
  });
  return (
    <Modal
      open
      title={t.tagsOf(user.username)}
      okText={shared.save}
      cancelText={shared.cancel}
      onOk={() => saving.mutate()}
      onCancel={onClose}
      confirmLoading={saving.isPending}
      okButtonProps={{ disabled: !tags.data?.length }}
    >
      <p className="dialog-intro">{t.tagsExplained}</p>
      {tags.isError && <ProblemNotice error={tags.error} onRetry={tags.refetch} />}
      {saving.isError && <ProblemNotice error={saving.error} />}
      {tags.data?.length === 0 ? (
        <p>
          {t.noTagsYet} <Link to="/admin/org-tags">{t.toOrgTags}</Link>
        </p>
      ) : (
        <Form layout="vertical">
          <Form.Item label={t.orgTags} htmlFor="user-org-tags">
            <OrgTagSelect
              id="user-org-tags"
              multiple
              nodes={nodes}
              value={chosen}
              onChange={setChosen}
              placeholder={t.chooseTags}
            />
          </Form.Item>
        </Form>
      )}
    </Modal>
  );
}
