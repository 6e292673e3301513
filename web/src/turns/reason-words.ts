/** The planner's reasons in the page's language. It gives them in English; one that is not known here stays as it is. */
import type { Language } from "@/shared/language";

const ZH: Readonly<Record<string, string>> = {
  "fast path": "快速通道",
  "no history": "没有历史对话",
  "the question stands alone": "问题本身完整",
  "says all of what it asks about": "问题已说明所问对象",
  "answers our question back, so it completes the question before it": "回答了我们的反问，补全了上一个问题",
  "the answer before has no such item": "上一个回答中没有这一项",
  "nothing before it is a list": "之前没有列表可指",
  "others than what is not said": "没有说明要排除什么",
  "asks for more of what is not said": "没有说明要补充什么",
  "asks for more of the question before": "追问上一个问题",
  "the question before is asked under another condition": "换一个条件再问上一个问题",
  "no question before it to carry over": "之前没有可以延续的问题",
  "asks for an attribute of what is not said": "没有说明问的是谁的属性",
  "an attribute of the topic before": "问的是上一个话题的属性",
  "the question before is narrowed": "缩小了上一个问题的范围",
  "says what is asked but not of what": "没有说明所问对象",
  "the topic before is what it leaves out": "省略的正是上一个话题",
  "in a language that the rules do not read: taken as it stands": "规则不识别这种语言，按原文处理",
  "compares the topic before with something": "与上一个话题作比较",
  "nothing before says what it refers to": "之前没有说明它指的是什么",
  "too long to depend on what was said before": "问题较长，不依赖之前的对话",
  "about the conversation itself": "问的是对话本身",
  "a question that documents may answer": "文档可能回答的问题",
  "the client chose the domains to search": "用户选定了知识域",
  "requested by the client": "由用户指定",
  "the client asked for it": "由用户指定",
  "needs a model and none is configured": "需要语言模型，但尚未配置",
  "named in the question": "问题中点名",
  "not searched": "不检索",
  "no domains are set up: everything readable is searched": "没有设置知识域，检索全部可读文档",
  "no domain speaks of it: everything readable is searched": "没有知识域谈到它，检索全部可读文档",
  "every domain speaks of it: everything readable is searched": "所有知识域都谈到它，检索全部可读文档",
  "too long to be a compound question": "太长，不当作复合问题拆分",
  "a single question": "单个问题",
  "the skills are not known": "技能目录暂不可用",
  "one skill's words": "命中一项技能的关键词",
  "several things asked for": "同时问了几件事",
  "scores close together": "几项技能得分接近",
  "no skill speaks of it": "没有技能谈到它",
  "no other skill speaks of it": "没有其他技能谈到它",
  "a question for documents that no skill speaks of: the fallback": "没有技能谈到的知识问题，使用兜底技能",
  "chosen by the model": "由模型选定",
  "says enough": "信息足够",
  "the question asks for it": "问题要求使用该语言",
  "the question is written in it": "问题用该语言书写",
  "asks something": "在提问",
  greeting: "问候",
};

const ZH_BEGINNINGS: readonly (readonly [string, string])[] = [
  ["needs tools: ", "需要工具："],
  ["needs neither documents nor tools: ", "既不需要文档也不需要工具："],
  ["too little to go on: ", "信息不足："],
  ["missing: ", "缺少："],
  ["shares ", "共有词："],
  ["rewriting would lose ", "改写会丢失："],
  ["splitting would lose ", "拆分会丢失："],
  ["the model planner did not (", "模型规划未被采用（"],
];

/** A reason in `language`, part by part. */
export function reasonInWords(reason: string, language: Language): string {
  if (language === "en") return reason;
  return reason.split("; ").map(inChinese).join("；");
}

function inChinese(part: string): string {
  const known = ZH[part];
  if (known) return known;
  const beginning = ZH_BEGINNINGS.find(([english]) => part.startsWith(english));
  return beginning ? beginning[1] + part.slice(beginning[0].length) : part;
}
