import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { App as AntdApp, ConfigProvider } from "antd";
import enUS from "antd/locale/en_US";
import zhCN from "antd/locale/zh_CN";
import { useLayoutEffect } from "react";
import { RouterProvider } from "react-router";
import { asProblem } from "@/api/problem";
import { sessions } from "@/api/session";
import { followElsewhere } from "@/chat/conversations";
import { useLanguage } from "@/shared/language";
import { router } from "./routes";
import { antdTheme, COLOURS, useScheme } from "./theme";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only what may pass is tried again by itself.
      retry: (failures, error) => {
        const { status } = asProblem(error);
        return failures < 2 && (status === 0 || status >= 502);
      },
    },
  },
});

followElsewhere(queries);

// What one person read must not be shown to the next one on this machine.
let person = sessions.current()?.user.id;
sessions.subscribe(() => {
  const next = sessions.current()?.user.id;
  if (next !== person) queries.clear();
  person = next;
});

export function App() {
  const language = useLanguage();
  const scheme = useScheme();
  useLayoutEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  }, [language]);
  useLayoutEffect(() => {
    const root = document.documentElement;
    root.dataset.theme = scheme;
    for (const [name, value] of Object.entries(COLOURS[scheme])) root.style.setProperty(name, value);
  }, [scheme]);
  return (
    <ConfigProvider
      button={{ autoInsertSpace: false }}
      theme={antdTheme(scheme)}
      locale={language === "zh" ? zhCN : enUS}
    >
      <AntdApp className="app">
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </AntdApp>
    </ConfigProvider>
  );
}
