import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { notices } from "./notices.ts";

// The built page is part of the Python package, so that users need no Node.
export default defineConfig({
  plugins: [svelte(), notices("../native/NOTICES.txt")],
  base: "/",
  build: {
    outDir: "../src/puzzlebox/studio/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // three.js is most of it; compressed it has 150 kB.
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8808", "/ws": { target: "ws://127.0.0.1:8808", ws: true } } },
  // A document takes a second to set up: tests that need one say so in their first line.
  test: { environment: "node" },
});
