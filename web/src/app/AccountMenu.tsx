import {
  DesktopOutlined,
  LogoutOutlined,
  MoonOutlined,
  SettingOutlined,
  SunOutlined,
  TranslationOutlined,
} from "@ant-design/icons";
import { Avatar, Dropdown, type MenuProps } from "antd";
import { useNavigate } from "react-router";
import { logOut } from "@/auth/log-out";
import { useUser } from "@/auth/use-session";
import { setLanguage, useLanguage, useStrings } from "@/shared/language";
import { appStrings } from "./strings";
import { setThemeChoice, type ThemeChoice, useThemeChoice } from "./theme";

const THEME_ICONS = {
  light: <SunOutlined aria-hidden />,
  dark: <MoonOutlined aria-hidden />,
  system: <DesktopOutlined aria-hidden />,
};

/** Who is logged in; language, appearance, settings and logging out. */
export function AccountMenu() {
  const t = useStrings(appStrings);
  const user = useUser();
  const language = useLanguage();
  const navigate = useNavigate();
  const theme = useThemeChoice();
  const themes: ThemeChoice[] = ["light", "dark", "system"];
  const items: MenuProps["items"] = [
    {
      type: "group",
      key: "theme",
      label: t.theme,
      children: themes.map((choice) => ({
        key: choice,
        icon: THEME_ICONS[choice],
        label: t[choice],
        onClick: () => setThemeChoice(choice),
      })),
    },
    {
      type: "group",
      key: "language",
      label: t.language,
      children: [
        { key: "zh", icon: <TranslationOutlined aria-hidden />, label: "中文", onClick: () => setLanguage("zh") },
        { key: "en", icon: <TranslationOutlined aria-hidden />, label: "English", onClick: () => setLanguage("en") },
      ],
    },
    { type: "divider" },
    {
      key: "settings",
      icon: <SettingOutlined aria-hidden />,
      label: t.settings,
      onClick: () => void navigate("/settings"),
    },
    { key: "log-out", icon: <LogoutOutlined aria-hidden />, label: t.logOut, onClick: () => void logOut() },
  ];
  return (
    <Dropdown
      menu={{ items, selectable: true, selectedKeys: [theme, language] }}
      trigger={["click"]}
      placement="topLeft"
    >
      <button type="button" className="account" aria-haspopup="menu">
        <Avatar size={28} aria-hidden>
          {user.username.slice(0, 1).toUpperCase()}
        </Avatar>
        <span className="visually-hidden">{t.account}: </span>
        <span>{user.username}</span>
      </button>
    </Dropdown>
  );
}
