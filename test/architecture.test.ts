/** ARCHITECTURE.md and server/ARCHITECTURE.md must describe the existing folders and files. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

const IGNORED = new Set(["node_modules", "dist", "build", ".git"]);

/** Files and folders below a folder, relative to the root, with a slash before them. */
function below(folder: string): string[] {
  return readdirSync(`${ROOT}${folder}`, { withFileTypes: true })
    .filter(({ name }) => !IGNORED.has(name))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? [`${path}/`, ...below(path)] : [path];
    });
}

const DOCUMENTS = [
  { document: "ARCHITECTURE.md", rooms: ["src", "web/src"] },
  { document: "server/ARCHITECTURE.md", rooms: ["server/src", "server/src/http", "server/src/store"] },
];

describe.each(DOCUMENTS)("$document", ({ document, rooms }) => {
  const text = readFileSync(`${ROOT}${document}`, "utf8");

  it("names every top-level folder", () => {
    const folders = rooms.flatMap((room) =>
      readdirSync(`${ROOT}${room}`, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name),
    );
    expect(folders.length).toBeGreaterThan(10);
    expect(folders.filter((name) => !text.includes(`${name}/`))).toEqual([]);
  });

  it("names only files and folders that exist", () => {
    const named = [...text.matchAll(/`([\w./-]+(?:\/|\.(?:ts|tsx|mjs|json)))`/g)].map(
      ([, path = ""]) => path,
    );
    expect(named.length).toBeGreaterThan(30);
    const paths = below("");
    const isThere = (path: string) => paths.some((one) => one.endsWith(`/${path}`));
    // Excludes addresses of the service and built files.
    const sources = named.filter((path) => !path.startsWith("/") && !path.startsWith("dist/"));
    expect([...new Set(sources)].filter((path) => !isThere(path))).toEqual([]);
  });
});
