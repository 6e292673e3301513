import { strings } from "@/shared/language";

export const editingStrings = strings(
  {
    edit: "编辑",
    editTitle: (name: string) => `编辑“${name}”`,
    title: "标题",
    titleHint: "留空则使用文档自己的标题。",
    titleTooLong: "标题最多 300 个字符",
    readersHint: "保存后立即生效：从现在起的每个回答都以此为准。",
    saved: "已保存。",
    savedLater: "更改已保存；检索服务暂时没有响应，恢复后会自动生效。",
  },
  {
    edit: "Edit",
    editTitle: (name: string) => `Edit ${name}`,
    title: "Title",
    titleHint: "Leave it empty for the document's own.",
    titleTooLong: "A title has at most 300 characters",
    readersHint: "This holds at once: every answer from now on goes by it.",
    saved: "Saved.",
    savedLater: "Your changes are kept. Search does not answer right now and will follow by itself.",
  },
);
