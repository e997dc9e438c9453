// Who is signed in. The access token lives in memory only. The refresh token lives in memory, too, and passes a reload
// through sessionStorage: it is written when the page goes and taken out when the page comes, so that a duplicated tab
// never holds a second copy. The server ends a session whose refresh token is used twice.

import type { AuthPayload } from "./types";

const STORAGE_KEY = "wonder.refresh-token";
/** An access token is renewed this long before it ends, or at half of its life when that is shorter. */
const RENEWAL_MARGIN_MS = 60_000;

export interface SessionUser {
  id: string;
  email: string;
  displayName: string;
}

interface Tokens {
  access: string;
  refresh: string;
  /** On this machine's clock. */
  renewAtMs: number;
}

export type Renewal = (refreshToken: string) => Promise<AuthPayload>;
type TokenStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export class Session {
  #tokens: Tokens | null = null;
  #user: SessionUser | null = null;
  #renewal: Promise<string | null> | null = null;
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly renew: Renewal,
    private readonly storage: TokenStorage,
    private readonly nowMs: () => number = Date.now,
  ) {}

  get user(): SessionUser | null {
    return this.#user;
  }

  /** Call `listener` whenever somebody signs in or out; returns how to stop. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Begin with what `signup`, `login` or `refreshSession` answered; without tokens nothing changes. */
  begin(payload: AuthPayload): boolean {
    const { user, accessToken, refreshToken, expiresAt } = payload;
    if (!user || !accessToken || !refreshToken) return false;
    this.#tokens = { access: accessToken, refresh: refreshToken, renewAtMs: this.#renewAt(expiresAt) };
    this.#user = { id: user.id, email: user.email, displayName: user.displayName };
    this.#tell();
    return true;
  }

  /** Forget everything, here and in storage. */
  end(): void {
    this.#tokens = null;
    this.#user = null;
    this.storage.removeItem(STORAGE_KEY);
    this.#tell();
  }

  /** Take up the session that the page before a reload left, if there is one. */
  async restore(): Promise<boolean> {
    const refresh = this.storage.getItem(STORAGE_KEY);
    this.storage.removeItem(STORAGE_KEY);
    if (!refresh) return false;
    this.#tokens = { access: "", refresh, renewAtMs: 0 };
    return (await this.accessToken()) !== null;
  }

  /** Leave the refresh token for the page after a reload. */
  suspend(): void {
    if (this.#tokens) this.storage.setItem(STORAGE_KEY, this.#tokens.refresh);
  }

  /** The page stayed alive after all (it came back from the browser's page cache). */
  resume(): void {
    this.storage.removeItem(STORAGE_KEY);
  }

  /** A token that is still good for a while, renewed when it is not; null when nobody is signed in. */
  async accessToken(): Promise<string | null> {
    if (!this.#tokens) return null;
    return this.nowMs() < this.#tokens.renewAtMs ? this.#tokens.access : this.renewed(this.#tokens.access);
  }

  /**
   * The token after `stale`. Callers that come together share one renewal, and one that comes late gets the token that
   * is already new: a refresh token must never be sent twice. Null, and the session has ended, when it is refused.
   */
  renewed(stale: string): Promise<string | null> {
    const tokens = this.#tokens;
    if (this.#renewal) return this.#renewal;
    if (!tokens || tokens.access !== stale) return Promise.resolve(tokens?.access ?? null);
    this.#renewal = this.#exchange(tokens).finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #exchange(tokens: Tokens): Promise<string | null> {
    const payload = await this.renew(tokens.refresh);
    // Signed out, or in as somebody else, while the answer was on its way: it must not bring the old session back.
    if (this.#tokens !== tokens) return this.#tokens?.access ?? null;
    if (!this.begin(payload)) this.end();
    return payload.accessToken;
  }

  #renewAt(expiresAt: string | null): number {
    const now = this.nowMs();
    const lifeMs = expiresAt ? Date.parse(expiresAt) - now : Number.NaN;
    // A clock that is wrong by more than the token's life: renew only when the server says so.
    if (!(lifeMs > 0)) return Number.POSITIVE_INFINITY;
    return now + Math.max(lifeMs / 2, lifeMs - RENEWAL_MARGIN_MS);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
