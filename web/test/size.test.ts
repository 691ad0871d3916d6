import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILT } from "./serve.js";

const ASSETS = join(BUILT, "assets");
const assets = readdirSync(ASSETS);

/** Returns the size of files after compression with gzip, as the server sends them. */
const sizeOf = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + readFileSync(join(ASSETS, `${name}.gz`)).length, 0);

/** Returns the name of a file without its hash. */
const plain = (name: string) => name.replace(/-[\w-]{8}\./, ".");

const named = (pattern: RegExp): string[] => assets.filter((name) => pattern.test(plain(name)));

/** Returns a script with its imports and styles. */
function neededBy(script: string, found = new Set<string>()): Set<string> {
  if (found.has(script)) return found;
  found.add(script);
  const style = plain(script).replace(/^app-/, "").replace(/\.js$/, ".css");
  for (const name of assets) if (plain(name) === style) found.add(name);
  const code = readFileSync(join(ASSETS, script), "utf8");
  for (const [, name = ""] of code.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) neededBy(name, found);
  return found;
}

/** Returns the script of a part that is loaded on demand. */
function partOf(name: string): string {
  const [script, ...others] = assets.filter((asset) => plain(asset) === `${name}-part.js`);
  if (script === undefined || others.length > 0) throw new Error(`no single script of ${name}`);
  return script;
}

/** The files that `index.html` names. They are loaded first. */
const first = [...readFileSync(join(BUILT, "index.html"), "utf8").matchAll(/\.\/assets\/([^"]+)/g)].map(
  ([, name = ""]) => name,
);

/** Returns the files that a script needs in addition to `known`. */
const addedBy = (script: string, known: Iterable<string> = first): Set<string> => {
  const added = neededBy(script);
  for (const name of known) added.delete(name);
  return added;
};

describe("the size of the page", () => {
  it("is at most 90 kB for page, worker and styles, compressed with gzip", () => {
    // other scripts are loaded on demand
    const files = [...first, ...named(/^worker\.js$/)];
    expect(files.map(plain)).toEqual(expect.arrayContaining(["index.js", "index.css", "worker.js"]));
    expect(sizeOf(files)).toBeLessThanOrEqual(90_000);
  });

  it("grows by at most 30 kB for the table of a squad", () => {
    // the parts that read rosters and periods, cards, the editor of periods, files and the report are loaded on demand
    const ofSquad = addedBy(partOf("squad"));
    if (process.env.SIZES !== undefined) console.log({ squad: sizeOf(ofSquad) });
    expect(sizeOf(ofSquad)).toBeLessThanOrEqual(30_000);
  });

  it("grows by at most 15.4 kB for the clock and the problems after the table of a squad, and by 13.7 kB for the map with playback", () => {
    const table = [...first, ...addedBy(partOf("squad"))];
    const next = new Set([...addedBy(partOf("clock"), table), ...addedBy(partOf("look-at"), table)]);
    const ofMap = addedBy(partOf("map"), [...table, ...next]);
    if (process.env.SIZES !== undefined) console.log({ afterTable: sizeOf(next), map: sizeOf(ofMap) });
    expect(sizeOf(next)).toBeLessThanOrEqual(15_400);
    expect(sizeOf(ofMap)).toBeLessThanOrEqual(13_700);
  });

  it("grows by at most 33.1 kB after signing in with any of the views, and by 18.2 kB without a view", () => {
    const [shell = ""] = named(/^app-shell\.js$/);
    const signedIn = addedBy(shell);
    const views = named(/^app-\w+-view\.js$/);
    // the parts of this view are loaded later
    const [activities = ""] = named(/^app-activities-view\.js$/);
    const parts = named(/^app-(activity-list|activity-page|frame-page)\.js$/);
    expect([views.length, parts.length]).toEqual([11, 3]);
    const sizes: Record<string, number> = Object.fromEntries([
      ...views.map((view) => [plain(view), sizeOf(new Set([...signedIn, ...addedBy(view)]))]),
      ...parts.map((part) => [
        plain(part),
        sizeOf(new Set([...signedIn, ...addedBy(activities), ...addedBy(part)])),
      ]),
    ]);
    const { SIZES } = process.env;
    if (SIZES !== undefined) console.log({ first: sizeOf(first), signedIn: sizeOf(signedIn), ...sizes });
    expect(Math.max(...Object.values(sizes))).toBeLessThanOrEqual(33_100);
    expect(sizeOf(signedIn)).toBeLessThanOrEqual(18_200);
  });

  it("grows by at most 31.1 kB for the players, the trackers or the season of a squad after signing in", () => {
    const [shell = ""] = named(/^app-shell\.js$/);
    const signedIn = addedBy(shell);
    const [squads = ""] = named(/^app-squads-view\.js$/);
    const [page = ""] = named(/^app-squad-page\.js$/);
    const parts = named(/^app-(squad-list|players|trackers|squad-season)\.js$/);
    expect(parts.length).toBe(4);
    const sizes = Object.fromEntries(
      parts.map((part) => [
        plain(part),
        sizeOf(new Set([...signedIn, ...addedBy(squads), ...addedBy(page), ...addedBy(part)])),
      ]),
    );
    if (process.env.SIZES !== undefined) console.log(sizes);
    expect(Math.max(...Object.values(sizes))).toBeLessThanOrEqual(31_100);
  });

  it("grows by at most 9 kB for each part of the sessions, beyond the parts of other views", () => {
    const [shell = ""] = named(/^app-shell\.js$/);
    const [sessions = ""] = named(/^app-sessions-view\.js$/);
    const [squad = ""] = named(/^squad-part\.js$/);
    const parts = named(/^app-(session-calendar|session-page|new-session|session-squad)\.js$/);
    expect(parts.length).toBe(4);
    const shared = named(/^app-(form|records|request|nothing|names|facts|dialog|list|days)\.js$/);
    const known = [shell, squad, ...shared].flatMap((script) => [...neededBy(script)]);
    const sizes = Object.fromEntries(
      parts.map((part) => [
        plain(part),
        sizeOf(new Set([...addedBy(sessions, known), ...addedBy(part, known)])),
      ]),
    );
    if (process.env.SIZES !== undefined) console.log(sizes);
    expect(Math.max(...Object.values(sizes))).toBeLessThanOrEqual(9_000);
  });
});
