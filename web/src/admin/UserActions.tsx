import { ApartmentOutlined, MoreOutlined, SafetyOutlined, StopOutlined, UnlockOutlined } from "@ant-design/icons";
import { App, Button, Dropdown, type MenuProps } from "antd";
import { answerOf, api, type Schemas } from "@/api/client";
import { useUser } from "@/auth/use-session";
import { useStrings } from "@/shared/language";
import { keepEnterInMenu } from "@/shared/menu";
import { sharedStrings } from "@/shared/strings";
import { useFailureToast } from "@/shared/use-failure-toast";
import { adminStrings } from "./strings";
import { isAdministrator, type ListedUser, useShowChanged } from "./users";

interface Change {
  title: string;
  text: string;
  button: string;
  danger: boolean;
  body: Schemas["UserChangeBody"];
  done: string;
}

/** What an administrator may do with a person; each asks first. */
export function UserActions({ user, onSetTags }: { user: ListedUser; onSetTags: () => void }) {
  const t = useStrings(adminStrings);
  const shared = useStrings(sharedStrings);
  const { message, modal } = App.useApp();
  const showChanged = useShowChanged();
  const failed = useFailureToast();
  const isSelf = useUser().id === user.id;
  const name = user.username;

  function ask({ title, text, button, danger, body, done }: Change) {
    modal.confirm({
      title,
      content: text,
      okText: button,
      cancelText: shared.cancel,
      okButtonProps: { danger },
      autoFocusButton: danger ? "cancel" : "ok",
      onOk: async () => {
        try {
          const params = { path: { user_id: user.id } };
          showChanged(await answerOf(api.PATCH("/api/v1/admin/users/{user_id}", { params, body })));
          message.success(done);
        } catch (error) {
          failed(error);
        }
      },
    });
  }

  const role: Change = isAdministrator(user)
    ? {
        title: t.takeAdministratorTitle(name),
        text: t.takeAdministratorText,
        button: t.takeAdministrator,
        danger: true,
        body: { roles: user.roles.filter((role) => role !== "admin") },
        done: t.noLongerAdministrator(name),
      }
    : {
        title: t.giveAdministratorTitle(name),
        text: t.giveAdministratorText,
        button: t.giveAdministrator,
        danger: false,
        body: { roles: [...user.roles, "admin"] },
        done: t.madeAdministrator(name),
      };
  const ban: Change = user.banned
    ? {
        title: t.unbanTitle(name),
        text: t.unbanText,
        button: t.unban,
        danger: false,
        body: { banned: false },
        done: t.wasUnbanned(name),
      }
    : {
        title: t.banTitle(name),
        text: t.banText,
        button: t.ban,
        danger: true,
        body: { banned: true },
        done: t.wasBanned(name),
      };

  const items: MenuProps["items"] = [
    { key: "tags", icon: <ApartmentOutlined aria-hidden />, label: t.setOrgTags, onClick: onSetTags },
    {
      key: "role",
      icon: <SafetyOutlined aria-hidden />,
      label: role.button,
      disabled: isSelf,
      onClick: () => ask(role),
    },
    { type: "divider" },
    {
      key: "ban",
      icon: user.banned ? <UnlockOutlined aria-hidden /> : <StopOutlined aria-hidden />,
      label: ban.button,
      danger: ban.danger && !isSelf,
      disabled: isSelf,
      onClick: () => ask(ban),
    },
    ...(isSelf
      ? [{ key: "self", type: "group" as const, label: <span className="menu-note">{t.ownAccount}</span> }]
      : []),
  ];
  return (
    <Dropdown menu={{ items, onClick: keepEnterInMenu }} trigger={["click"]} autoFocus placement="bottomRight">
      <Button type="text" icon={<MoreOutlined aria-hidden />} aria-label={t.actions(name)} aria-haspopup="menu" />
    </Dropdown>
  );
}
