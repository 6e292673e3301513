import type { MenuProps } from "antd";

/** For menus that open dialogs: the Enter that chose an entry must not press what the dialog puts the focus on. */
export const keepEnterInMenu: MenuProps["onClick"] = ({ domEvent }) => domEvent.preventDefault();
