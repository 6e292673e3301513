import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const STATIC = fileURLToPath(new URL("../services/gateway/src/superagent_gateway/static", import.meta.url));
const GATEWAY = process.env.GATEWAY_URL ?? "http://127.0.0.1:8080";

/** Tests of what needs BroadcastChannel, TextDecoderStream, or packages that are half CommonJS: contexts lack them. */
const NOT_IN_CONTEXTS = [
  "src/api/turn-events.test.ts",
  "src/chat/Composer.test.tsx",
  "src/chat/conversations.test.ts",
  "src/chat/markdown/Markdown.test.tsx",
];

/** Writes `.br` and `.gz` beside every text file, so that the gateway compresses nothing while it serves. */
function precompressed(): Plugin {
  return {
    name: "precompressed",
    apply: "build",
    closeBundle() {
      for (const entry of readdirSync(STATIC, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(js|css|html|svg)$/.test(entry.name)) continue;
        const path = `${entry.parentPath}/${entry.name}`;
        const content = readFileSync(path);
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), precompressed()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    outDir: STATIC,
    emptyOutDir: true,
    // Inline data addresses would need a wider policy for fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
  },
  server: { proxy: { "/api": GATEWAY } },
  test: {
    environment: "happy-dom",
    restoreMocks: true,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        // Each file in a context of its own, in threads that have loaded happy-dom: a quarter of the processor time.
        test: { name: "contexts", pool: "vmThreads", include: ["src/**/*.test.{ts,tsx}"], exclude: NOT_IN_CONTEXTS },
      },
      { extends: true, test: { name: "threads", pool: "threads", include: NOT_IN_CONTEXTS } },
    ],
  },
});
