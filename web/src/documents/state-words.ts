/** What documents' states, stages, failures and counts are called. */
import type { Schemas } from "@/api/client";
import { type Language, useLanguage } from "@/shared/language";

export type DocumentState = Schemas["DocumentAnswer"]["state"];
type Words<Name extends string> = Readonly<Record<Name, string>>;

export const STAGES = ["upload", "parse", "strategy", "chunk", "index"] as const;
export type StageName = (typeof STAGES)[number];
export const STAGE_STATES = ["pending", "running", "completed", "failed"] as const;
export type StageState = (typeof STAGE_STATES)[number];

/** Why a file, or an address, cannot become a document. */
export const REJECTIONS = [
  "empty_file",
  "encrypted",
  "unreadable",
  "no_text",
  "unsupported_format",
  "wrong_type",
  "too_large",
  "archive_bomb",
  "unsafe_xml",
  "parse_timeout",
  "parse_memory",
  "hash_mismatch",
  "fetch_forbidden_address",
  "fetch_status",
  "fetch_too_large",
  "fetch_timeout",
  "fetch_failed",
  "fetch_redirects",
] as const;
export type Rejection = (typeof REJECTIONS)[number];

interface Remedy {
  what: string;
  todo: string;
}

export interface StateWords {
  states: Words<DocumentState>;
  stages: Words<StageName>;
  stageStates: Words<StageState>;
  /** What is counted, once and more often. */
  counts: Readonly<Record<string, readonly [string, string]>>;
  remedies: Readonly<Record<Rejection, Remedy>>;
  /** For everything else: a fault on the server's side. */
  otherTodo: string;
}

const zh: StateWords = {
  states: {
    UNSPECIFIED: "未知",
    UPLOADED: "排队中",
    PARSING: "正在读取",
    PARSED: "正在选择切分方式",
    CONFIRMED: "等待切分",
    CHUNKING: "正在切分",
    INDEXING: "正在建立索引",
    READY: "可检索",
    FAILED: "处理失败",
    DELETING: "正在删除",
  },
  stages: { upload: "上传", parse: "读取", strategy: "选择切分方式", chunk: "切分", index: "建立索引" },
  stageStates: { pending: "未开始", running: "进行中", completed: "完成", failed: "未成功" },
  counts: {
    parts: ["个分片", "个分片"],
    blocks: ["个内容块", "个内容块"],
    headings: ["个标题", "个标题"],
    tables: ["张表格", "张表格"],
    pages: ["页", "页"],
    children: ["个检索片段", "个检索片段"],
    parents: ["个上下文段落", "个上下文段落"],
    embedded: ["个已向量化", "个已向量化"],
    pages_without_text: ["页没有文字", "页没有文字"],
    ocr_pages: ["页由图片识别", "页由图片识别"],
    ocr_confidence: ["% 识别可信度", "% 识别可信度"],
    redirects: ["次转向", "次转向"],
    copied: ["个沿用已有向量", "个沿用已有向量"],
  },
  remedies: {
    empty_file: { what: "文件是空的，没有任何内容。", todo: "请检查原文件，保存后重新上传。" },
    encrypted: { what: "文件有密码或版权保护，无法读取其中的文字。", todo: "请去掉密码后另存一份，再上传。" },
    unreadable: {
      what: "文件已损坏，无法读取。",
      todo: "请用原来的程序打开并另存一份，再上传；打不开时请换一份完好的文件。",
    },
    no_text: {
      what: "文件里没有文字，可能是扫描件或图片。",
      todo: "请先做文字识别（OCR）再上传；安装了 OCR 的服务器会自动识别扫描件。",
    },
    unsupported_format: { what: "不支持这种文件。", todo: "请另存为 PDF、Word、Markdown 或纯文本后上传。" },
    wrong_type: { what: "文件的扩展名与实际内容不符。", todo: "请确认选对了文件，改成正确的扩展名后上传。" },
    too_large: { what: "文件的内容太多，无法一次处理。", todo: "请拆成几个文件分别上传。" },
    archive_bomb: { what: "文件解压后过大，出于安全没有打开。", todo: "请用原来的程序另存一份，或导出为 PDF 后上传。" },
    unsafe_xml: { what: "文件含有不安全的 XML 结构，出于安全没有读取。", todo: "请用原来的程序另存一份，再上传。" },
    parse_timeout: { what: "读取文件用时过长，已停止。", todo: "请拆成几个较小的文件，或导出为 PDF 后上传。" },
    parse_memory: { what: "读取文件需要的内存过多，已停止。", todo: "请拆成几个较小的文件上传。" },
    hash_mismatch: { what: "收到的文件与选择的文件不一致，可能在传输中损坏。", todo: "请删除后重新上传。" },
    fetch_forbidden_address: {
      what: "这个地址不允许抓取：它指向内部网络或受限的端口。",
      todo: "请换一个公开的地址；确实需要从内网抓取时，请联系管理员放行。",
    },
    fetch_status: {
      what: "对方服务器没有给出这份内容。",
      todo: "请在浏览器中打开这个地址确认内容存在且无需登录，再重新导入。",
    },
    fetch_too_large: { what: "这个地址的内容太大了。", todo: "请下载后拆成几个文件上传。" },
    fetch_timeout: { what: "对方服务器没有及时给出内容。", todo: "请稍后重新处理；仍然超时请下载后上传。" },
    fetch_failed: {
      what: "无法连接这个地址，或连接中断了。",
      todo: "请检查地址是否写错；无误时请稍后重新处理，或下载后上传。",
    },
    fetch_redirects: { what: "这个地址转向的次数太多，或转向循环了。", todo: "请改用最终的地址重新导入。" },
  },
  otherTodo: "这通常不是文件的问题。请重新处理；仍然失败时请联系管理员。",
};

const en: StateWords = {
  states: {
    UNSPECIFIED: "Unknown",
    UPLOADED: "Waiting its turn",
    PARSING: "Being read",
    PARSED: "Choosing how to cut it",
    CONFIRMED: "About to be cut",
    CHUNKING: "Being cut",
    INDEXING: "Being indexed",
    READY: "Ready",
    FAILED: "Failed",
    DELETING: "Being deleted",
  },
  stages: {
    upload: "Upload",
    parse: "Read",
    strategy: "Choose a strategy",
    chunk: "Cut into passages",
    index: "Index",
  },
  stageStates: { pending: "Not begun", running: "Running", completed: "Done", failed: "Did not succeed" },
  counts: {
    parts: ["part", "parts"],
    blocks: ["block", "blocks"],
    headings: ["heading", "headings"],
    tables: ["table", "tables"],
    pages: ["page", "pages"],
    children: ["search passage", "search passages"],
    parents: ["context passage", "context passages"],
    embedded: ["embedded", "embedded"],
    pages_without_text: ["page without text", "pages without text"],
    ocr_pages: ["page recognised in pictures", "pages recognised in pictures"],
    ocr_confidence: ["% certainty of recognition", "% certainty of recognition"],
    redirects: ["redirect", "redirects"],
    copied: ["taken over", "taken over"],
  },
  remedies: {
    empty_file: { what: "The file is empty.", todo: "Check the original, save it again and upload it anew." },
    encrypted: {
      what: "The file is protected by a password or against copying, so its text cannot be read.",
      todo: "Save a copy without the password and upload that.",
    },
    unreadable: {
      what: "The file is damaged and cannot be read.",
      todo: "Open it in the program it comes from, save a copy and upload that; if it does not open, get an intact one.",
    },
    no_text: {
      what: "The file holds no text. It may be a scan or a picture.",
      todo: "Run text recognition (OCR) on it and upload the result. Where OCR is installed on the server, scans are read by themselves.",
    },
    unsupported_format: {
      what: "This kind of file cannot be read.",
      todo: "Save it as PDF, Word, Markdown or plain text and upload that.",
    },
    wrong_type: {
      what: "The file's ending does not fit its content.",
      todo: "Make sure it is the right file, give it the right ending and upload it again.",
    },
    too_large: { what: "The file holds more than can be taken in at once.", todo: "Split it and upload the pieces." },
    archive_bomb: {
      what: "The file unpacks to far too much and was not opened, for safety.",
      todo: "Save a copy in the program it comes from, or export it as PDF, and upload that.",
    },
    unsafe_xml: {
      what: "The file holds unsafe XML and was not read, for safety.",
      todo: "Save a copy in the program it comes from and upload that.",
    },
    parse_timeout: {
      what: "Reading the file took too long and was stopped.",
      todo: "Split it into smaller files, or export it as PDF, and upload those.",
    },
    parse_memory: {
      what: "Reading the file took too much memory and was stopped.",
      todo: "Split it into smaller files and upload those.",
    },
    hash_mismatch: {
      what: "What arrived is not the file that was chosen; it may have been damaged on its way.",
      todo: "Delete it and upload it again.",
    },
    fetch_forbidden_address: {
      what: "This address may not be fetched: it leads into an internal network or to a closed port.",
      todo: "Use a public address. If an internal one is really needed, ask an administrator to allow it.",
    },
    fetch_status: {
      what: "The other server did not hand out this content.",
      todo: "Open the address in a browser: is the content there, without logging in? Then import it again.",
    },
    fetch_too_large: {
      what: "What lies at this address is too large.",
      todo: "Download it, split it and upload the pieces.",
    },
    fetch_timeout: {
      what: "The other server did not deliver in time.",
      todo: "Process it again later. If it stays slow, download it and upload the file.",
    },
    fetch_failed: {
      what: "This address could not be reached, or the connection broke off.",
      todo: "Check the address. If it is right, process it again later, or download it and upload the file.",
    },
    fetch_redirects: {
      what: "This address leads from one to the next too often or in a circle.",
      todo: "Import it again with the address where it ends.",
    },
  },
  otherTodo: "This is usually not the file's fault. Process it again; if it still fails, tell an administrator.",
};

export const STATE_WORDS: Record<Language, StateWords> = { zh, en };

export function useStateWords(): StateWords {
  return STATE_WORDS[useLanguage()];
}

const SETTLED: readonly DocumentState[] = ["READY", "FAILED"];
export const UNFINISHED: readonly DocumentState[] = [
  "UPLOADED",
  "PARSING",
  "PARSED",
  "CONFIRMED",
  "CHUNKING",
  "INDEXING",
];

export function isSettled(state: DocumentState): boolean {
  return SETTLED.includes(state);
}

export function isRejection(reason: string): reason is Rejection {
  return (REJECTIONS as readonly string[]).includes(reason);
}
