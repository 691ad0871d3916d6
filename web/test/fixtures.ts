import { fileURLToPath } from "node:url";

/** Path of a fixture, such as `valid/match-hr.asi`. */
export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
}
