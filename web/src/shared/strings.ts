import { strings } from "./language";

export const sharedStrings = strings(
  {
    productName: "Super Agent",
    retry: "重试",
    cancel: "取消",
    save: "保存",
    delete: "删除",
    close: "关闭",
    loading: "正在加载",
    loadMore: "加载更多",
    copyCode: "复制代码",
    copied: "已复制",
    traceId: (id: string) => `追踪编号：${id}`,
  },
  {
    productName: "Super Agent",
    retry: "Try again",
    cancel: "Cancel",
    save: "Save",
    delete: "Delete",
    close: "Close",
    loading: "Loading",
    loadMore: "Load more",
    copyCode: "Copy code",
    copied: "Copied",
    traceId: (id: string) => `Trace id: ${id}`,
  },
);
