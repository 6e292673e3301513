import {
  ApartmentOutlined,
  DeleteOutlined,
  DragOutlined,
  EditOutlined,
  MoreOutlined,
  PlusOutlined,
  RightOutlined,
} from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { App, Button, Dropdown, type MenuProps, Skeleton } from "antd";
import { useState } from "react";
import { ApiProblem, answerOf, api } from "@/api/client";
import { appStrings } from "@/app/strings";
import { Empty } from "@/shared/Empty";
import { useStrings } from "@/shared/language";
import { keepEnterInMenu } from "@/shared/menu";
import { Page } from "@/shared/Page";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import "./admin.css";
import { useFailureToast } from "@/shared/use-failure-toast";
import { AddTagDialog, MoveTagDialog, RenameTagDialog } from "./OrgTagDialogs";
import { useOrgTree } from "./OrgTagSelect";
import { ORG_TAGS, useOrgTags } from "./org-tags";
import type { OrgNode, OrgTag } from "./org-tree";
import { adminStrings } from "./strings";

/** What is being done with the tree: `under` null adds at the top. */
type Doing = { add: true; under: OrgTag | null } | { rename: OrgTag } | { move: OrgTag };

export default function OrgTagsPage() {
  const app = useStrings(appStrings);
  const t = useStrings(adminStrings);
  const tags = useOrgTags();
  const nodes = useOrgTree(tags.data ?? []);
  const [doing, setDoing] = useState<Doing | null>(null);
  const done = () => setDoing(null);

  function content() {
    if (tags.isPending) return <Skeleton active paragraph={{ rows: 5 }} />;
    if (tags.isError && !tags.data) return <ProblemNotice error={tags.error} onRetry={tags.refetch} />;
    if (!nodes.length) {
      return (
        <Empty icon={<ApartmentOutlined aria-hidden />} title={t.noOrgTags} text={t.noOrgTagsText}>
          <Button type="primary" onClick={() => setDoing({ add: true, under: null })}>
            {t.addFirstTag}
          </Button>
        </Empty>
      );
    }
    return (
      <ul className="org-tree" aria-label={t.tagTree}>
        {nodes.map((node) => (
          <Branch key={node.tag.code} node={node} onDo={setDoing} />
        ))}
      </ul>
    );
  }

  return (
    <Page
      title={app.orgTags}
      intro={t.orgTagsIntro}
      actions={
        nodes.length > 0 && (
          <Button
            type="primary"
            icon={<PlusOutlined aria-hidden />}
            onClick={() => setDoing({ add: true, under: null })}
          >
            {t.addTag}
          </Button>
        )
      }
    >
      {content()}
      {doing && "add" in doing && <AddTagDialog under={doing.under} onClose={done} />}
      {doing && "rename" in doing && <RenameTagDialog tag={doing.rename} onClose={done} />}
      {doing && "move" in doing && <MoveTagDialog tag={doing.move} nodes={nodes} onClose={done} />}
    </Page>
  );
}

function Branch({ node, onDo }: { node: OrgNode; onDo: (doing: Doing) => void }) {
  const t = useStrings(adminStrings);
  const [open, setOpen] = useState(true);
  const { tag, children, below } = node;
  return (
    <li>
      <div className="org-row">
        {children.length > 0 ? (
          <Button
            type="text"
            size="small"
            icon={<RightOutlined rotate={open ? 90 : 0} aria-hidden />}
            aria-label={open ? t.collapse(tag.name) : t.expand(tag.name)}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          />
        ) : (
          <span className="org-leaf" aria-hidden="true" />
        )}
        <span className="org-name">{tag.name}</span>
        <code className="code">{tag.code}</code>
        {below > 0 && <span className="soft org-below">{t.tagsBelow(below)}</span>}
        <span className="org-actions">
          <Button
            type="text"
            icon={<PlusOutlined aria-hidden />}
            aria-label={t.addBelow(tag.name)}
            title={t.addBelowShort}
            onClick={() => onDo({ add: true, under: tag })}
          />
          <TagActions tag={tag} onDo={onDo} />
        </span>
      </div>
      {open && children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Branch key={child.tag.code} node={child} onDo={onDo} />
          ))}
        </ul>
      )}
    </li>
  );
}

function TagActions({ tag, onDo }: { tag: OrgTag; onDo: (doing: Doing) => void }) {
  const t = useStrings(adminStrings);
  const shared = useStrings(sharedStrings);
  const { message, modal } = App.useApp();
  const queries = useQueryClient();
  const failed = useFailureToast();
  const wordsOfUse = useWordsOfUse();

  function remove() {
    modal.confirm({
      title: t.deleteTagTitle(tag.name),
      content: t.deleteTagText,
      okText: shared.delete,
      cancelText: shared.cancel,
      okButtonProps: { danger: true },
      autoFocusButton: "cancel",
      onOk: async () => {
        try {
          await answerOf(api.DELETE("/api/v1/admin/org-tags/{code}", { params: { path: { code: tag.code } } }));
          message.success(t.tagDeleted(tag.name));
        } catch (error) {
          const words = wordsOfUse(error);
          if (words) message.warning(words, 8);
          else failed(error);
        }
        await queries.invalidateQueries({ queryKey: ORG_TAGS });
      },
    });
  }

  const items: MenuProps["items"] = [
    { key: "rename", icon: <EditOutlined aria-hidden />, label: t.rename, onClick: () => onDo({ rename: tag }) },
    { key: "move", icon: <DragOutlined aria-hidden />, label: t.move, onClick: () => onDo({ move: tag }) },
    { type: "divider" },
    { key: "delete", icon: <DeleteOutlined aria-hidden />, label: shared.delete, danger: true, onClick: remove },
  ];
  return (
    <Dropdown menu={{ items, onClick: keepEnterInMenu }} trigger={["click"]} autoFocus placement="bottomRight">
      <Button type="text" icon={<MoreOutlined aria-hidden />} aria-label={t.actions(tag.name)} aria-haspopup="menu" />
    </Dropdown>
  );
}

/** Who still uses a tag that therefore cannot be deleted; null for another failure. */
function useWordsOfUse(): (error: unknown) => string | null {
  const t = useStrings(adminStrings);
  return (error) => {
    if (!(error instanceof ApiProblem) || error.reason !== "org_tag_in_use") return null;
    const times = Number(error.members.used_times);
    if (error.members.used_by === "users") return t.usedByUsers(times);
    if (error.members.used_by === "org_tags") return t.usedByOrgTags(times);
    if (error.members.used_by === "domains") return t.usedByDomains(times);
    return null;
  };
}
