/** Light and dark: the person's choice, the colours, and antd's tokens made of them. */
import { type ThemeConfig, theme } from "antd";
import { useSyncExternalStore } from "react";

export type ThemeChoice = "light" | "dark" | "system";
export type Scheme = "light" | "dark";

const KEY = "superagent.theme";
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const still = window.matchMedia("(prefers-reduced-motion: reduce)");
const listeners = new Set<() => void>();
let choice: ThemeChoice = initial();

function initial(): ThemeChoice {
  const chosen = localStorage.getItem(KEY);
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

function tell(): void {
  for (const listener of listeners) listener();
}

dark.addEventListener("change", tell);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function setThemeChoice(chosen: ThemeChoice): void {
  choice = chosen;
  localStorage.setItem(KEY, chosen);
  tell();
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, () => choice);
}

export function useScheme(): Scheme {
  return useSyncExternalStore(subscribe, () => (choice === "system" ? (dark.matches ? "dark" : "light") : choice));
}

const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

/** The page's own colours, as CSS variables; antd's tokens follow them. */
export const COLOURS: Record<Scheme, Record<string, string>> = {
  light: {
    "--accent": "#4f46e5",
    "--accent-soft": "#eef0fe",
    "--accent-text": "#4338ca",
    "--surface": "#ffffff",
    "--surface-raised": "#ffffff",
    "--surface-side": "#f7f7f9",
    "--surface-sunken": "#f3f4f6",
    "--line": "#e6e7eb",
    "--text": "#1a1d24",
    "--text-soft": "#5b6170",
    "--success": "#166534",
    "--warning": "#92400e",
    "--danger": "#b91c1c",
    "--success-soft": "#e7f6ec",
    "--warning-soft": "#fdf3e0",
    "--danger-soft": "#fdecec",
  },
  dark: {
    "--accent": "#7c83ff",
    "--accent-soft": "#26284a",
    "--accent-text": "#b3b8ff",
    "--surface": "#16171b",
    "--surface-raised": "#1e2026",
    "--surface-side": "#111216",
    "--surface-sunken": "#23252c",
    "--line": "#2e3139",
    "--text": "#eceef2",
    "--text-soft": "#a3a9b6",
    "--success": "#4ade80",
    "--warning": "#fbbf24",
    "--danger": "#ff7b72",
    "--success-soft": "#15301f",
    "--warning-soft": "#35290f",
    "--danger-soft": "#3a1d1d",
  },
};

/** antd's theme for a scheme. */
export function antdTheme(scheme: Scheme): ThemeConfig {
  const colour = (name: string) => COLOURS[scheme][name] as string;
  return {
    algorithm: scheme === "dark" ? theme.darkAlgorithm : theme.defaultAlgorithm,
    token: {
      colorPrimary: scheme === "dark" ? "#6068f0" : colour("--accent"),
      colorLink: colour("--accent-text"),
      colorBgBase: colour("--surface"),
      colorBgContainer: colour("--surface-raised"),
      colorBgElevated: colour("--surface-raised"),
      colorBgLayout: colour("--surface"),
      colorTextBase: colour("--text"),
      colorTextSecondary: colour("--text-soft"),
      colorTextDescription: colour("--text-soft"),
      colorTextPlaceholder: colour("--text-soft"),
      colorBorder: scheme === "dark" ? "#3d414b" : "#d3d6dd",
      colorBorderSecondary: colour("--line"),
      colorSuccess: colour("--success"),
      colorWarning: colour("--warning"),
      colorError: colour("--danger"),
      colorInfo: colour("--accent"),
      colorSuccessBg: colour("--success-soft"),
      colorSuccessBorder: colour("--line"),
      colorWarningBg: colour("--warning-soft"),
      colorWarningBorder: colour("--line"),
      colorErrorBg: colour("--danger-soft"),
      colorErrorBorder: colour("--line"),
      colorInfoBg: colour("--accent-soft"),
      colorInfoBorder: colour("--line"),
      borderRadius: 8,
      borderRadiusLG: 12,
      fontFamily: FONT,
      fontSize: 14,
      controlHeight: 36,
      motion: !still.matches,
      motionDurationMid: "0.15s",
      motionDurationSlow: "0.2s",
    },
    components: {
      // antd's own hover colours are too pale to be read on, or to read.
      Button: {
        colorPrimaryHover: scheme === "dark" ? "#4f57d9" : colour("--accent-text"),
        defaultHoverColor: colour("--accent-text"),
        defaultActiveColor: colour("--accent-text"),
      },
      // The outline is all that shows an empty box: 3:1 against what is behind it.
      Radio: { colorBorder: scheme === "dark" ? "#7b8190" : "#858b98" },
      Checkbox: { colorBorder: scheme === "dark" ? "#7b8190" : "#858b98" },
      Segmented: { trackBg: colour("--surface-sunken"), itemSelectedBg: colour("--surface-raised") },
      Table: {
        headerBg: colour("--surface-side"),
        headerSplitColor: "transparent",
        rowHoverBg: colour("--surface-side"),
      },
      Tag: { defaultBg: colour("--surface-sunken"), defaultColor: colour("--text") },
    },
  };
}
