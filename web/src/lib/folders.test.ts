// Shared folders do not import the arena's pages: only App.svelte names them.
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";

test.each(["lib", "scene", "recordings"])("%s does not import from arena", (folder) => {
  const files = readdirSync(`src/${folder}`).filter((name) => /\.(ts|svelte)$/.test(name));
  const imports = files.flatMap((name) => {
    const text = new TextDecoder().decode(readFileSync(`src/${folder}/${name}`));
    return [...text.matchAll(/(?:from|import\() ?"([^"]+)"/g)].map(([, path]) => `${name}: ${path}`);
  });
  expect(imports.length).toBeGreaterThan(0);
  expect(imports.filter((each) => each.includes("arena/"))).toEqual([]);
});
