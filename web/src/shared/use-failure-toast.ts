import { App } from "antd";
import { asProblem } from "@/api/problem";
import { useLanguage } from "@/shared/language";
import { wordsFor } from "@/shared/problem-words";

/** Says in passing, in words, that something did not work. */
export function useFailureToast(): (error: unknown) => void {
  const { message } = App.useApp();
  const language = useLanguage();
  return (error) => void message.error(wordsFor(asProblem(error), language), 8);
}
