import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TestSample } from "../golden/sessions.js";

/** Beside the checkout, or beside the parent folder of a worktree. */
const PLACES = ["../../../../shared/corpus/figures/", "../../../../../shared/corpus/figures/"].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
);

/** The folder with external data and the expected results of independent programs; null if it does not exist. */
export const CORPUS = PLACES.find((folder) => existsSync(`${folder}expected`)) ?? null;

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Expected results that independent programs computed; the copy in the repository if there is no corpus. */
export function expected<T>(name: string): T {
  const file = CORPUS === null ? here(`expected/${name}`) : `${CORPUS}expected/${name}`;
  return JSON.parse(readFileSync(file, "utf8")) as T;
}

/** The copy in the repository, as text. */
export function committed(name: string): string {
  return readFileSync(here(`expected/${name}`), "utf8");
}

/** Rows of a CSV of the corpus, as numbers; an empty field is NaN. */
export function rowsOf(file: string): number[][] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",").map((field) => (field.trim() === "" ? Number.NaN : Number(field))));
}

/** Samples of a CSV of the corpus with the columns time, speed and, if present, heart rate. */
export function samplesIn(file: string): TestSample[] {
  return rowsOf(file).map(([t = 0, speed = -1, hr = 0]) => ({ t, speed, hr: Number.isNaN(hr) ? 0 : hr }));
}
