import { Session } from "../../web/src/api/session";
import type { AuthPayload } from "../../web/src/api/types";

const START_MS = Date.parse("2026-01-01T12:00:00Z");

function payload(number: number, lifeSeconds = 900, nowMs = START_MS): AuthPayload {
  return {
    user: { id: "usr_1", email: "mira@example.com", displayName: "Mira", role: "USER" },
    accessToken: `access-${number}`,
    refreshToken: `refresh-${number}`,
    expiresAt: new Date(nowMs + lifeSeconds * 1000).toISOString(),
    errors: [],
  };
}

const REFUSED: AuthPayload = {
  user: null,
  accessToken: null,
  refreshToken: null,
  expiresAt: null,
  errors: [{ code: "INVALID_CREDENTIALS", message: "Log in again.", path: null, retryAfterSeconds: null }],
};

class MemoryStorage {
  readonly items = new Map<string, string>();
  getItem = (key: string) => this.items.get(key) ?? null;
  setItem = (key: string, value: string) => void this.items.set(key, value);
  removeItem = (key: string) => void this.items.delete(key);
}

/** A server that rotates refresh tokens and refuses one that was used, as the real one does. */
class RotatingServer {
  readonly seen: string[] = [];
  #number = 1;
  answer: Promise<void> = Promise.resolve();

  renew = async (token: string): Promise<AuthPayload> => {
    this.seen.push(token);
    const valid = token === `refresh-${this.#number}`;
    if (valid) this.#number += 1;
    await this.answer;
    return valid ? payload(this.#number) : REFUSED;
  };
}

function setUp() {
  const server = new RotatingServer();
  const storage = new MemoryStorage();
  const clock = { nowMs: START_MS };
  const session = new Session(server.renew, storage, () => clock.nowMs);
  return { server, storage, clock, session };
}

describe("the session", () => {
  it("hands out the token while it is good, and renews it a minute before its end", async () => {
    const { session, server, clock } = setUp();
    session.begin(payload(1));
    expect(await session.accessToken()).toBe("access-1");
    clock.nowMs += 839_000;
    expect(await session.accessToken()).toBe("access-1");
    clock.nowMs += 2_000;
    expect(await session.accessToken()).toBe("access-2");
    expect(server.seen).toEqual(["refresh-1"]);
  });

  it("renews a short-lived token at half of its life", async () => {
    const { session, clock } = setUp();
    session.begin(payload(1, 10));
    clock.nowMs += 4_900;
    expect(await session.accessToken()).toBe("access-1");
    clock.nowMs += 200;
    expect(await session.accessToken()).toBe("access-2");
  });

  it("sends a refresh token once, however many ask at the same time", async () => {
    const { session, server } = setUp();
    session.begin(payload(1));
    const tokens = await Promise.all(Array.from({ length: 10 }, () => session.renewed("access-1")));
    expect(new Set(tokens)).toEqual(new Set(["access-2"]));
    expect(server.seen).toEqual(["refresh-1"]);
  });

  it("gives the new token to a caller that comes late with the old one", async () => {
    const { session, server } = setUp();
    session.begin(payload(1));
    await session.renewed("access-1");
    expect(await session.renewed("access-1")).toBe("access-2");
    expect(server.seen).toHaveLength(1);
  });

  it("ends when the refresh token is refused", async () => {
    const { session } = setUp();
    let told = 0;
    session.begin(payload(7));
    session.subscribe(() => (told += 1));
    expect(await session.renewed("access-7")).toBeNull();
    expect(session.user).toBeNull();
    expect(told).toBe(1);
  });

  it("is kept when the network fails in the middle of a renewal", async () => {
    const { session, server } = setUp();
    session.begin(payload(1));
    server.answer = Promise.reject(new Error("offline"));
    await expect(session.renewed("access-1")).rejects.toThrow("offline");
    expect(session.user?.email).toBe("mira@example.com");
  });

  it("does not come back when somebody signs out while a renewal is on its way", async () => {
    const { session, server } = setUp();
    session.begin(payload(1));
    let release = () => {};
    server.answer = new Promise((resolve) => (release = resolve));
    const renewal = session.renewed("access-1");
    session.end();
    release();
    expect(await renewal).toBeNull();
    expect(session.user).toBeNull();
  });

  it("passes a reload through storage, which is empty while a page lives", async () => {
    const before = setUp();
    before.session.begin(payload(1));
    expect(before.storage.items.size).toBe(0);
    before.session.suspend();
    const after = new Session(before.server.renew, before.storage, () => START_MS);
    expect(await after.restore()).toBe(true);
    expect(after.user?.displayName).toBe("Mira");
    expect(before.storage.items.size).toBe(0);
  });

  it("leaves nothing in storage after signing out", () => {
    const { session, storage } = setUp();
    session.begin(payload(1));
    session.suspend();
    session.end();
    session.suspend();
    expect(storage.items.size).toBe(0);
  });

  it("leaves renewal to the server's word when this machine's clock is hours ahead", async () => {
    const { session, server, clock } = setUp();
    clock.nowMs += 3 * 3_600_000;
    session.begin(payload(1));
    expect(await session.accessToken()).toBe("access-1");
    expect(server.seen).toEqual([]);
  });
});
