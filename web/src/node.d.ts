// The little of Node that tests use.
declare module "node:fs" {
  export function readFileSync(path: string): Uint8Array;
}
