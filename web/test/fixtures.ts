import { fileURLToPath } from "node:url";

/** Returns the path of a fixture, such as `valid/match-hr.asi`. */
export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
}
