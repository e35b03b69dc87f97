// Collects the licences of all packages in the page, and writes them beside it.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

export interface Notice {
  name: string;
  version: string;
  licence: string;
  text: string;
}

// Modules that the build tools generate, by the beginning of their ids, and the package of the tool.
const GENERATED: [string, string][] = [
  ["\0vite/", "vite"],
  ["\0rolldown/", "rolldown"],
];
// In Vite's licence file, the text after this heading is about packages that are not in the page.
const TOOL_ONLY = /^# Licenses of bundled dependencies$/m;

/** Return the folder of the package that a module comes from, or null for a module of this project. */
export function folderOf(id: string, root: string): string | null {
  const generated = GENERATED.find(([beginning]) => id.startsWith(beginning));
  if (generated) return join(root, "node_modules", generated[1]);
  const path = id.replace(/^\0/, "").split("?")[0];
  if (!path.includes("node_modules/")) {
    if (path.startsWith(root)) return null;
    throw new Error(`a module of unknown origin is in the page: ${JSON.stringify(id)}; web/notices.ts must know its licence`);
  }
  // A folder inside a package may have its own package.json, without a name.
  for (let folder = dirname(path); folder.includes("node_modules/"); folder = dirname(folder)) {
    const description = join(folder, "package.json");
    if (existsSync(description) && JSON.parse(read(description)).name) return folder;
  }
  throw new Error(`no package.json for ${path}`);
}

/** Return the name, version and licence of a package; throw an error if the text of its licence is missing. */
export function noticeOf(folder: string): Notice {
  const { name, version, license } = JSON.parse(read(join(folder, "package.json")));
  const file = readdirSync(folder).sort().find((each) => /^licen[cs]e(\.(md|txt))?$/i.test(each));
  if (!file || !license) throw new Error(`${name} ${version} is in the page, but has no text of a licence in ${folder}`);
  return { name, version, licence: license, text: read(join(folder, file)).split(TOOL_ONLY)[0].trim() };
}

/** Return the text of the notices: those of the native library first, then the packages of the page. */
export function noticesText(native: string, notices: Notice[]): string {
  const parts = notices.map((each) => `${each.name} ${each.version} (${each.licence})\n\n${each.text}\n`);
  return [native.trim() + "\n", ...parts].join(`\n${"-".repeat(80)}\n\n`);
}

/** Return the plugin that writes `notices.txt` beside the page. */
export function notices(native: string): Plugin {
  let root = "";
  return {
    name: "puzzlebox-notices",
    apply: "build",
    configResolved(config) {
      root = config.root;
    },
    generateBundle(_, bundle) {
      const folders = new Set<string>();
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const id of Object.keys(chunk.modules)) {
          const folder = folderOf(id, root);
          if (folder) folders.add(folder);
        }
      }
      const packages = [...folders].map(noticeOf).sort((a, b) => (a.name < b.name ? -1 : 1));
      this.emitFile({ type: "asset", fileName: "notices.txt", source: noticesText(read(native), packages) });
    },
  };
}

function read(path: string): string {
  return new TextDecoder().decode(readFileSync(path));
}
