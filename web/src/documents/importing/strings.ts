import { strings } from "@/shared/language";

export const importStrings = strings(
  {
    button: "从网址导入",
    title: "从网址导入",
    address: "网址",
    addressHint: "服务器会抓取这个地址的内容并作为文档处理；需要登录的页面抓取不到。",
    addressWrong: "请输入以 http:// 或 https:// 开头的完整网址",
    ok: "导入",
    begun: "正在抓取，结果会显示在列表中。",
  },
  {
    button: "Import from an address",
    title: "Import from an address",
    address: "Address",
    addressHint:
      "The server fetches what lies there and treats it as a document. Pages behind a log-in cannot be fetched.",
    addressWrong: "Type a whole address that begins with http:// or https://",
    ok: "Import",
    begun: "It is being fetched; the list shows how it goes.",
  },
);
