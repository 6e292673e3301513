import { Segmented } from "antd";
import type { ReactNode } from "react";
import { type Language, setLanguage, useLanguage, useStrings } from "@/shared/language";
import { useTitle } from "@/shared/Page";
import { sharedStrings } from "@/shared/strings";
import { authStrings } from "./strings";
import "./auth.css";

/** What log-in and registration share: the product's name, a card, the choice of language. */
export function AuthFrame({ title, intro, children }: { title: string; intro: string; children: ReactNode }) {
  const t = useStrings(authStrings);
  const shared = useStrings(sharedStrings);
  const language = useLanguage();
  useTitle(title);
  return (
    <main className="auth">
      <div className="auth-brand">
        <img src="/favicon.svg" alt="" width={44} height={44} />
        <p className="auth-name">{shared.productName}</p>
        <p>{t.tagline}</p>
      </div>
      <section className="auth-card">
        <h1>{title}</h1>
        <p>{intro}</p>
        {children}
      </section>
      <Segmented<Language>
        aria-label="语言 / Language"
        value={language}
        onChange={setLanguage}
        options={[
          { label: "中文", value: "zh" },
          { label: "English", value: "en" },
        ]}
      />
    </main>
  );
}
