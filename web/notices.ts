// The licences of everything the page is built from: what a licence asks to be passed on is passed on with the page.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

export interface Notice {
  name: string;
  version: string;
  licence: string;
  text: string;
}

// Modules that the tools write themselves, by how their ids begin.
const WRITTEN: [string, string][] = [
  ["\0vite/", "vite"],
  ["\0rolldown/", "rolldown"],
];
// What follows in Vite's file is about the tool itself, none of which is in the page.
const TOOL_ONLY = /^# Licenses of bundled dependencies$/m;

/** The folder of the package a module comes from, or null for one of our own. */
export function folderOf(id: string, root: string): string | null {
  const written = WRITTEN.find(([beginning]) => id.startsWith(beginning));
  if (written) return join(root, "node_modules", written[1]);
  const path = id.replace(/^\0/, "").split("?")[0];
  if (!path.includes("node_modules/")) {
    if (path.startsWith(root)) return null;
    throw new Error(`a module of unknown origin is in the page: ${JSON.stringify(id)}; web/notices.ts must know its licence`);
  }
  // A folder inside a package may have a package.json of its own, without a name.
  for (let folder = dirname(path); folder.includes("node_modules/"); folder = dirname(folder)) {
    const description = join(folder, "package.json");
    if (existsSync(description) && JSON.parse(read(description)).name) return folder;
  }
  throw new Error(`no package.json for ${path}`);
}

/** Name, version and licence of a package; one without the text of its licence is refused. */
export function noticeOf(folder: string): Notice {
  const { name, version, license } = JSON.parse(read(join(folder, "package.json")));
  const file = readdirSync(folder).sort().find((each) => /^licen[cs]e(\.(md|txt))?$/i.test(each));
  if (!file || !license) throw new Error(`${name} ${version} is in the page, but has no text of a licence in ${folder}`);
  return { name, version, licence: license, text: read(join(folder, file)).split(TOOL_ONLY)[0].trim() };
}

/** The file of notices: what is linked into the native library first, then the packages of the page by name. */
export function write(native: string, notices: Notice[]): string {
  const parts = notices.map((each) => `${each.name} ${each.version} (${each.licence})\n\n${each.text}\n`);
  return [native.trim() + "\n", ...parts].join(`\n${"-".repeat(80)}\n\n`);
}

/** Puts `notices.txt` beside the page. */
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
      const found = [...folders].map(noticeOf).sort((a, b) => (a.name < b.name ? -1 : 1));
      this.emitFile({ type: "asset", fileName: "notices.txt", source: write(read(native), found) });
    },
  };
}

function read(path: string): string {
  return new TextDecoder().decode(readFileSync(path));
}
