import { Button, Form, Input } from "antd";
import { useState } from "react";
import { Link, Navigate, useSearchParams } from "react-router";
import { answerOf, api } from "@/api/client";
import { sessions } from "@/api/session";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { AuthFrame } from "./AuthFrame";
import { type Credentials, insideAddress } from "./LogInPage";
import { authStrings } from "./strings";
import { useSession } from "./use-session";

export default function RegisterPage() {
  const t = useStrings(authStrings);
  const [parameters] = useSearchParams();
  const session = useSession();
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  if (session) return <Navigate to={insideAddress(parameters.get("next"))} replace />;

  async function register({ username, password }: Credentials) {
    const body = { username: username.trim(), password };
    setBusy(true);
    setProblem(null);
    try {
      await answerOf(api.POST("/api/v1/auth/register", { body }));
      sessions.begin(await answerOf(api.POST("/api/v1/auth/login", { body })));
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <AuthFrame title={t.registerTitle} intro={t.registerIntro}>
      {problem !== null && <ProblemNotice error={problem} />}
      <Form<Credentials> layout="vertical" requiredMark={false} onFinish={register} disabled={busy}>
        <Form.Item
          name="username"
          label={t.username}
          extra={t.usernameRule}
          rules={[
            { required: true, message: t.usernameNeeded },
            { min: 3, max: 64, message: t.usernameRule },
          ]}
        >
          <Input autoComplete="username" autoFocus size="large" />
        </Form.Item>
        <Form.Item
          name="password"
          label={t.password}
          extra={t.passwordRule}
          rules={[
            { required: true, message: t.passwordNeeded },
            { min: 8, message: t.passwordRule },
            ({ getFieldValue }) => ({
              validator: (_, value) =>
                value && value === getFieldValue("username")
                  ? Promise.reject(new Error(t.passwordIsName))
                  : Promise.resolve(),
            }),
          ]}
        >
          <Input.Password autoComplete="new-password" size="large" />
        </Form.Item>
        <Form.Item
          name="repeated"
          label={t.repeatPassword}
          dependencies={["password"]}
          rules={[
            { required: true, message: t.passwordNeeded },
            ({ getFieldValue }) => ({
              validator: (_, value) =>
                !value || value === getFieldValue("password")
                  ? Promise.resolve()
                  : Promise.reject(new Error(t.passwordsDiffer)),
            }),
          ]}
        >
          <Input.Password autoComplete="new-password" size="large" />
        </Form.Item>
        <Button type="primary" htmlType="submit" size="large" block loading={busy}>
          {t.createAccount}
        </Button>
      </Form>
      <p className="auth-other">
        {t.haveAccount} <Link to={{ pathname: "/login", search: parameters.toString() }}>{t.logIn}</Link>
      </p>
    </AuthFrame>
  );
}
