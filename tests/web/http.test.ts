import { bodyOf } from "../../web/src/api/http";

describe("the body of a request", () => {
  it("is JSON without a file", () => {
    expect(JSON.parse(bodyOf("query Q { a }", { id: "走" }) as string)).toEqual({ query: "query Q { a }", variables: { id: "走" } });
  });

  it("is a form with a file, which the map puts in its place", () => {
    const file = new File(["pixels"], "苔.png", { type: "image/png" });
    const form = bodyOf("mutation M { a }", { projectId: "prj_1", file }) as FormData;
    expect([...form.keys()]).toEqual(["operations", "map", "0"]);
    expect(JSON.parse(form.get("operations") as string)).toEqual({ query: "mutation M { a }", variables: { projectId: "prj_1", file: null } });
    expect(JSON.parse(form.get("map") as string)).toEqual({ 0: ["variables.file"] });
    expect((form.get("0") as File).name).toBe("苔.png");
  });
});
