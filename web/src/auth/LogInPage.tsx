import { Alert, Button, Form, Input } from "antd";
import { useState } from "react";
import { Link, Navigate, useSearchParams } from "react-router";
import { answerOf, api } from "@/api/client";
import { sessions } from "@/api/session";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { AuthFrame } from "./AuthFrame";
import { authStrings } from "./strings";
import { useSession } from "./use-session";

export interface Credentials {
  username: string;
  password: string;
}

export default function LogInPage() {
  const t = useStrings(authStrings);
  const [parameters] = useSearchParams();
  const session = useSession();
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  if (session) return <Navigate to={insideAddress(parameters.get("next"))} replace />;

  async function logIn({ username, password }: Credentials) {
    setBusy(true);
    setProblem(null);
    try {
      sessions.begin(await answerOf(api.POST("/api/v1/auth/login", { body: { username: username.trim(), password } })));
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <AuthFrame title={t.logIn} intro={t.logInIntro}>
      {sessions.endedFor() !== null && !problem && <Alert type="info" showIcon title={t.sessionEnded} />}
      {problem !== null && <ProblemNotice error={problem} />}
      <Form<Credentials> layout="vertical" requiredMark={false} onFinish={logIn} disabled={busy}>
        <Form.Item name="username" label={t.username} rules={[{ required: true, message: t.usernameNeeded }]}>
          <Input autoComplete="username" autoFocus size="large" />
        </Form.Item>
        <Form.Item name="password" label={t.password} rules={[{ required: true, message: t.passwordNeeded }]}>
          <Input.Password autoComplete="current-password" size="large" />
        </Form.Item>
        <Button type="primary" htmlType="submit" size="large" block loading={busy}>
          {t.logIn}
        </Button>
      </Form>
      <p className="auth-other">
        {t.noAccount} <Link to={{ pathname: "/register", search: parameters.toString() }}>{t.createAccount}</Link>
      </p>
    </AuthFrame>
  );
}

/** An address of this page: never one that leads elsewhere. */
export function insideAddress(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) ? next : "/chat";
}
