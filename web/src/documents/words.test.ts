import { describe, expect, it } from "vitest";
import { sentenceWords } from "./server-words";
import { REJECTIONS, STAGE_STATES, STAGES, STATE_WORDS } from "./state-words";

const CHINESE = /[\u4e00-\u9fff]/;

describe.each(["zh", "en"] as const)("words in %s", (language) => {
  const words = STATE_WORDS[language];

  it("name every state, stage and reason", () => {
    const states = Object.values(words.states);
    expect(states).toHaveLength(10);
    const all = [
      ...states,
      ...STAGES.map((name) => words.stages[name]),
      ...STAGE_STATES.map((name) => words.stageStates[name]),
      ...REJECTIONS.flatMap((reason) => [words.remedies[reason].what, words.remedies[reason].todo]),
    ];
    for (const word of all) expect(CHINESE.test(word)).toBe(language === "zh");
  });

  it("tell every state from every other", () => {
    expect(new Set(Object.values(words.states)).size).toBe(10);
  });

  it("count the same things in both languages", () => {
    expect(Object.keys(words.counts)).toEqual(Object.keys(STATE_WORDS.en.counts));
  });
});

describe("the service's sentences", () => {
  it.each([
    "It has no headings, so only paragraphs and sentences show where to cut.",
    "Its headings are 21,000 characters apart on average, too far to tell what a passage is about.",
    "36 headings on 2 levels divide it into sections.",
    "Its longest paragraph has 3,120 characters and is cut between sentences.",
    "42% of it are tables: they keep their heading and repeat their header row.",
    "Its words change abruptly at 12 of 150 places, so it is cut where the topic changes.",
    "No model said where its topics begin: model_timeout. It is cut by length alone.",
    "Topics were looked for in the first 500 of 812 passages only.",
    "Text of 12 pages was recognised in pictures with 93% certainty.",
    "An administrator has it tried again.",
    "Is processed again.",
    "The chunks from before go on answering.",
    "Changed: title, tags, org tag, who may read it.",
    "Chosen by hand.",
    "Strategy recursive was chosen.",
    "Waits until somebody has confirmed how it is cut.",
    "Lets another person's document go first; what is indexed stays.",
    "The content was here already: no parts had to travel.",
    "Taken over from the same content.",
    "To be fetched from its address.",
    "Fetched guide.pdf from docs.example.org.",
    "Strategy model+recursive. Chosen by hand.",
    "Read with markdown-it-py 4.3.0.",
    "Cut into 12 pieces.",
    "Searchable.",
    "Uploaded.",
    "Waits 2 s: embedder_down.",
    "Strategy structure+recursive. 36 headings on 2 levels divide it into sections. 42% of it are tables: they keep their heading and repeat their header row.",
  ])("are Chinese on a Chinese page: %s", (sentence) => {
    const words = sentenceWords(sentence, "zh");
    expect(words).toMatch(CHINESE);
    expect(words).not.toMatch(/headings|tables|[Ss]trategy|Waits|[Cc]hosen|[Cc]hanged|tag|public|model_|recursive/);
    for (const figure of sentence.match(/\d[\d,]*%?/g) ?? []) expect(words).toContain(figure);
  });

  it("stay as they are when they are not known", () => {
    expect(sentenceWords("Something new happened.", "zh")).toBe("Something new happened.");
    expect(sentenceWords("Cut into 12 pieces.", "en")).toBe("Cut into 12 pieces.");
  });

  it("name strategies in words", () => {
    expect(sentenceWords("Strategy structure+recursive. 3 headings.", "en")).toBe(
      "Cut by structure, then by length. 3 headings.",
    );
    expect(sentenceWords("Strategy recursive was chosen.", "en")).toBe("Cut by length, as was chosen.");
  });

  it("say in words what is waited for", () => {
    expect(sentenceWords("Waits 8 s: embedder_down.", "en")).toBe(
      "Tries again in 8 s. The embedding service is not available right now.",
    );
  });
});
