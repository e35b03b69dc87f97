// Shared folders do not import pages of a wing, and wings do not import each other: only App.svelte names them.
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";

function importsOf(folder: string): string[] {
  const files = readdirSync(`src/${folder}`).filter((name) => /\.(ts|svelte)$/.test(name));
  return files.flatMap((name) => {
    const text = new TextDecoder().decode(readFileSync(`src/${folder}/${name}`));
    return [...text.matchAll(/(?:from|import\() ?"([^"]+)"/g)].map(([, path]) => `${name}: ${path}`);
  });
}

test.each(["lib", "scene", "recordings"])("%s does not import from a wing", (folder) => {
  const imports = importsOf(folder);
  expect(imports.length).toBeGreaterThan(0);
  expect(imports.filter((each) => /arena\/|infant\/|intuitions\//.test(each))).toEqual([]);
});

test.each(["infant", "infant/play", "intuitions", "intuitions/watch", "intuitions/judge"])("%s does not import from another wing", (folder) => {
  const imports = importsOf(folder);
  expect(imports.length).toBeGreaterThan(0);
  expect(imports.filter((each) => ["arena", "infant", "intuitions"].some((wing) => !folder.startsWith(wing) && each.includes(`${wing}/`)))).toEqual([]);
});
