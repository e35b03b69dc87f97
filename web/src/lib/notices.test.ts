// The licence of every package in the page is part of the build; the build fails if one is missing.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOf, noticeOf, notices, noticesText } from "../../notices.ts";

const root = mkdtempSync(join(tmpdir(), "notices-"));

function put(path: string, text: string): string {
  const whole = join(root, path);
  mkdirSync(join(whole, ".."), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

const ball = put("node_modules/@toys/ball/source/round/ball.js", "");
put("node_modules/@toys/ball/source/package.json", '{"type": "module"}');
put("node_modules/@toys/ball/package.json", '{"name": "@toys/ball", "version": "1.2.3", "license": "MIT"}');
put("node_modules/@toys/ball/license.md", "Copyright A. Toymaker\n");
const bare = put("node_modules/bare/index.js", "");
put("node_modules/bare/package.json", '{"name": "bare", "version": "0.1.0", "license": "MIT"}');
put("node_modules/vite/package.json", '{"name": "vite", "version": "8.0.0", "license": "MIT"}');
put("node_modules/vite/LICENSE.md", "Of Vite\n\n# Licenses of bundled dependencies\nOf the tool\n");
const native = put("NOTICES.txt", "nanobind (BSD)\n");

function built(...ids: string[]): string {
  const plugin = notices(native) as any;
  let source = "";
  plugin.configResolved({ root });
  const bundle = { "a.js": { type: "chunk", modules: Object.fromEntries(ids.map((id) => [id, {}])) }, "a.css": { type: "asset" } };
  plugin.generateBundle.call({ emitFile: (file: { source: string }) => (source = file.source) }, {}, bundle);
  return source;
}

test("the notice of a package is found from a module deep inside it", () => {
  expect(folderOf(`${ball}?svelte`, root)).toBe(join(root, "node_modules/@toys/ball"));
  expect(noticeOf(join(root, "node_modules/@toys/ball"))).toEqual({
    name: "@toys/ball",
    version: "1.2.3",
    licence: "MIT",
    text: "Copyright A. Toymaker",
  });
});

test("all packages of the page are listed by name, after the native ones; our own modules are not listed", () => {
  const text = built("\0vite/preload-helper.js", join(root, "src/main.ts"), ball);
  expect(text.match(/^\S+( \S+)? \(.*\)$/gm)).toEqual(["nanobind (BSD)", "@toys/ball 1.2.3 (MIT)", "vite 8.0.0 (MIT)"]);
  expect(text).toContain("Of Vite");
  expect(text).not.toContain("Of the tool");
  expect(text).toBe(built(ball, "\0vite/preload-helper.js"));
});

test("a package without its licence stops the build, and so does a module of unknown origin", () => {
  expect(() => built(ball, bare)).toThrow(/bare 0\.1\.0 is in the page, but has no text of a licence/);
  expect(() => built("\0polyfill")).toThrow(/unknown origin.*polyfill/);
});

test("the file contains only its parts", () => {
  expect(noticesText("native\n", [])).toBe("native\n");
});
