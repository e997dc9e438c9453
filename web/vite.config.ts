import { defineConfig } from "vitest/config";
import * as operations from "./src/api/operations";

/** Writes down every document that the dashboard sends, for servers that run trusted documents only. */
function documents() {
  const byName = Object.entries(operations).map(([name, operation]) => [`dashboard:${name}`, operation.document]);
  return {
    name: "documents",
    generateBundle(this: { emitFile(file: { type: "asset"; fileName: string; source: string }): string }) {
      const source = `${JSON.stringify(Object.fromEntries(byName), null, 1)}\n`;
      this.emitFile({ type: "asset", fileName: "documents.json", source });
    },
  };
}

export default defineConfig({
  plugins: [documents()],
  base: "/static/",
  build: {
    outDir: "../server/static",
    emptyOutDir: true,
    // Monaco, the editor of GraphiQL, is one chunk of 3 MB that loads on that page only.
    chunkSizeWarningLimit: 4000,
    reportCompressedSize: false,
    rolldownOptions: {
      input: ["index.html", "graphiql.html"],
      // "use client" in packages means nothing outside of server rendering.
      onwarn(warning, handle) {
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") handle(warning);
      },
    },
  },
  test: {
    // The tests stand beside those of the server. They are outside of this package, so vitest comes to them as globals.
    include: ["../tests/web/**/*.test.ts"],
    globals: true,
  },
  server: {
    fs: { allow: [".."] },
    proxy: {
      "/graphql": { target: "http://127.0.0.1:8000", ws: true },
      "/files": { target: "http://127.0.0.1:8000" },
    },
  },
});
