import { defineConfig } from "vitest/config";

export default defineConfig({
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
