import { type FormEvent, useState } from "react";
import { ENDPOINT, session } from "../api/client";
import { fieldError, generalErrors, messageOf } from "../api/errors";
import { post } from "../api/http";
import { LOG_IN, SIGN_UP } from "../api/operations";
import type { AuthPayload, UserError } from "../api/types";
import { Problems, TextField } from "./fields";
import { Mark } from "./icons";
import { PixelCrowd } from "./PixelCrowd";

type Mode = "login" | "signup";
const FIELDS = ["email", "password", "displayName"];

async function send(mode: Mode, email: string, password: string, displayName: string): Promise<AuthPayload> {
  if (mode === "login") return (await post(ENDPOINT, LOG_IN, { input: { email, password } }, null)).login;
  const input = { email, password, ...(displayName.trim() ? { displayName } : {}) };
  return (await post(ENDPOINT, SIGN_UP, { input }, null)).signup;
}

export function AuthScreen() {
  return (
    <div className="auth">
      <aside className="auth-show" aria-hidden="true">
        <PixelCrowd />
      </aside>
      <main className="auth-main">
        <div className="auth-brand">
          <Mark size={36} />
          <h1>Wonder</h1>
        </div>
        <p className="auth-lead">Describe it. Get sprites, sheets, tiles and scenery that look like one game.</p>
        <AuthForm />
      </main>
    </div>
  );
}

function AuthForm() {
  const [mode, setMode] = useState<Mode>("login");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [displayName, setDisplayName] = useState("");
  const [errors, setErrors] = useState<UserError[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    setErrors([]);
    try {
      const payload = await send(mode, email, password, displayName);
      if (!session.begin(payload)) setErrors(payload.errors);
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  function choose(next: Mode): void {
    setMode(next);
    setErrors([]);
    setFailure(null);
  }

  const signup = mode === "signup";
  return (
    <form className="auth-form" onSubmit={(event) => void submit(event)} aria-label={signup ? "Sign up" : "Log in"}>
      <div className="segments wide">
        {(["login", "signup"] as const).map((item) => (
          <button key={item} type="button" className="segment-button" aria-pressed={mode === item} onClick={() => choose(item)}>
            {item === "login" ? "Log in" : "Sign up"}
          </button>
        ))}
      </div>
      <TextField
        label="Email"
        type="email"
        name="email"
        autoComplete="email"
        required
        value={email}
        onChange={setEmail}
        error={fieldError(errors, "email")}
      />
      {signup && (
        <TextField
          label="Name (optional)"
          name="displayName"
          autoComplete="nickname"
          value={displayName}
          onChange={setDisplayName}
          error={fieldError(errors, "displayName")}
        />
      )}
      <TextField
        label="Password"
        type="password"
        name="password"
        autoComplete={signup ? "new-password" : "current-password"}
        required
        value={password}
        onChange={setPassword}
        error={fieldError(errors, "password")}
        hint={signup ? "At least 8 characters" : undefined}
      />
      <Problems messages={failure ? [failure] : generalErrors(errors, FIELDS)} />
      <button type="submit" className="primary big" disabled={busy}>
        {busy ? "One moment …" : signup ? "Create account" : "Log in"}
      </button>
    </form>
  );
}
