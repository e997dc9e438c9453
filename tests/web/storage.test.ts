import { tabStorage, withoutHeaders } from "../../web/src/graphiql/storage";

describe("what GraphiQL remembers", () => {
  it("leaves headers out of whatever holds them, however deep", () => {
    const history = { queries: [{ query: "{ me { id } }", headers: '{"Authorization":"Bearer secret"}' }] };
    expect(withoutHeaders(JSON.stringify(history))).toBe('{"queries":[{"query":"{ me { id } }"}]}');
  });

  it("keeps documents, which are no JSON, as they are", () => {
    expect(withoutHeaders('query headers { me { id } } # "headers"')).toBe('query headers { me { id } } # "headers"');
  });

  it("never writes the headers editor itself", () => {
    const items = new Map<string, string>();
    const storage = tabStorage({
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, value),
      removeItem: (key) => void items.delete(key),
      clear: () => items.clear(),
      length: 0,
    });
    storage.setItem("graphiql:headers", '{"Authorization":"Bearer secret"}');
    storage.setItem("graphiql:query", "{ me { id } }");
    expect([...items.keys()]).toEqual(["graphiql:query"]);
  });
});
