// What GraphiQL may remember: until the tab is closed, and never a header, which is where tokens are.

interface Kept {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
  clear(): void;
  readonly length: number;
}

/** Key of anything below which GraphiQL stores headers: in its tabs, its history and its favorites. */
const HEADERS = "headers";

/** The same JSON with every value under "headers" left out; text that is no JSON stays. */
export function withoutHeaders(value: string): string {
  try {
    return JSON.stringify(JSON.parse(value, (key, item: unknown) => (key === HEADERS ? undefined : item)));
  } catch {
    return value;
  }
}

/** GraphiQL's own history writes headers even where `shouldPersistHeaders` is off, so they are taken out here. */
export function tabStorage(storage: Kept): Kept {
  return {
    getItem: (key) => storage.getItem(key),
    setItem: (key, value) => {
      if (!key.endsWith(`:${HEADERS}`)) storage.setItem(key, withoutHeaders(value));
    },
    removeItem: (key) => storage.removeItem(key),
    clear: () => storage.clear(),
    get length() {
      return storage.length;
    },
  };
}
