import { named, strings } from "@/shared/language";

export const candidateStrings = strings(
  {
    title: (count: number) => `候选段落（${count}）`,
    hint: "通过门槛的全部段落，按最终排序。不在表中的段落要么没有被任何通道找到，要么低于门槛——见下方各通道的命中。",
    methods: named({
      weighted: "得分 = 各通道的相对得分 × 通道权重，再加奖励分。相对得分在同一通道内从最差的 0 到最好的 1。",
      ranks: "得分 = 权重 ÷（常数 + 名次），再加奖励分。",
      lists: "检索了多个列表，按名次合并：每个列表贡献 权重 ÷（常数 + 名次），再加奖励分。",
    }),
    region: "候选段落",
    rank: "名次",
    passage: "段落",
    score: "得分来源",
    outcome: "结果",
    sources: named({ vector: "向量", keyword: "关键词", outline: "标题", bonus: "奖励" }),
    total: (score: string) => `合计 ${score}`,
    rerank: (score: string) => `重排得分 ${score}`,
    exact: (names: string) => `含编号 ${names}，排在所有得分之前`,
    working: "计算过程",
    workingOf: (rank: number) => `计算过程（第 ${rank} 名）`,
    lists: named({
      question: "原问题",
      normalised: "规范写法",
      hints: "加提示词",
      history: "加上文",
      outline: "标题列表",
    }),
    whole: (list: string) => `${list}（整个列表）`,
    part: (list: string, channel: string) => `${list} · ${channel}`,
    byShare: (rank: number, raw: string, share: string, weight: string, value: string) =>
      `第 ${rank} 名，原始分数 ${raw}，相对得分 ${share} × 权重 ${weight} = ${value}`,
    byRank: (rank: number, raw: string, weight: string, constant: number, value: string) =>
      `第 ${rank} 名（分数 ${raw}），${weight} ÷（${constant} + ${rank}）= ${value}`,
    bonuses: named({
      heading: "标题符合问题",
      all_words: "包含问题的全部词",
      close_words: "问题的词相邻出现",
      hint_words: "包含提示词",
    }),
  },
  {
    title: (count: number) => `Candidates (${count})`,
    hint: "All passages above the floors, in their final order. What is not here was found by no channel or scored below a floor: see the hits by channel.",
    methods: named({
      weighted:
        "Score = share within each channel × the channel's weight, plus bonuses. A share is 0 for the worst and 1 for the best hit of a channel.",
      ranks: "Score = weight ÷ (constant + rank), plus bonuses.",
      lists: "Several lists were searched and joined by rank: each adds weight ÷ (constant + rank); bonuses are added.",
    }),
    region: "Candidates",
    rank: "Rank",
    passage: "Passage",
    score: "What the score is made of",
    outcome: "What became of it",
    sources: named({ vector: "Vectors", keyword: "Keywords", outline: "Headings", bonus: "Bonus" }),
    total: (score: string) => `${score} in all`,
    rerank: (score: string) => `Reranked ${score}`,
    exact: (names: string) => `Holds ${names}: goes before every score`,
    working: "How it adds up",
    workingOf: (rank: number) => `How it adds up (rank ${rank})`,
    lists: named({
      question: "Question",
      normalised: "Normalised",
      hints: "With hints",
      history: "With history",
      outline: "Headings",
    }),
    whole: (list: string) => `${list}, the whole list`,
    part: (list: string, channel: string) => `${list} · ${channel}`,
    byShare: (rank: number, raw: string, share: string, weight: string, value: string) =>
      `rank ${rank}, raw score ${raw}, share ${share} × weight ${weight} = ${value}`,
    byRank: (rank: number, raw: string, weight: string, constant: number, value: string) =>
      `rank ${rank} (score ${raw}), ${weight} ÷ (${constant} + ${rank}) = ${value}`,
    bonuses: named({
      heading: "Its headings fit the question",
      all_words: "It holds all words of the question",
      close_words: "The question's words stand close together in it",
      hint_words: "It holds hint words",
    }),
  },
);
