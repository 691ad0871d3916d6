import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  appendErasure,
  appendErasures,
  type Erasure,
  erasureListNames,
  makeErasureList,
  personHash,
  readErasures,
} from "./erasure-list.js";

const folder = mkdtempSync(join(tmpdir(), "asi-erasures-"));
afterAll(() => rmSync(folder, { recursive: true }));

const AT = new Date("2024-01-01T06:00:00.000Z");
const entry = (id: number): Erasure => ({
  person: personHash({ id, createdAt: AT }),
  at: AT,
  kind: "erased",
});

describe("the list of erasures", () => {
  it("is read in the order of its entries, with each person once, and only by its user", async () => {
    const file = join(folder, "new", "list.jsonl");
    expect(await readErasures(file)).toEqual([]);
    for (const id of [1, 2, 1]) await appendErasure(file, entry(id));
    expect(await readErasures(file)).toEqual([entry(1), entry(2)]);
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
  });

  it("has no duplicate entries when another process also appends", async () => {
    const file = join(folder, "shared.jsonl");
    await appendErasure(file, entry(1));
    appendFileSync(file, `${JSON.stringify(entry(2))}\n`);
    await appendErasure(file, entry(2));
    expect(await readErasures(file)).toEqual([entry(1), entry(2)]);
  });

  it("accepts many entries at once, and adds only missing entries", async () => {
    const file = join(folder, "many.jsonl");
    await appendErasures(file, []);
    expect(existsSync(file)).toBe(false);
    await appendErasure(file, entry(2));
    await appendErasures(file, [entry(1), entry(2), entry(3), entry(1)]);
    await appendErasures(file, [entry(3), entry(4)]);
    expect(await readErasures(file)).toEqual([entry(2), entry(1), entry(3), entry(4)]);
  });

  it("loses no entry after a line that a crash truncated", async () => {
    const file = join(folder, "cut.jsonl");
    await appendErasure(file, entry(1));
    appendFileSync(file, '{"person":"ab');
    await appendErasure(file, entry(2));
    expect(await readErasures(file)).toEqual([entry(1), entry(2)]);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(4);
  });

  it("has its own name since its creation, or since the next start if an earlier release created it", async () => {
    const [made, old] = [join(folder, "made.jsonl"), join(folder, "old.jsonl")];
    expect(await erasureListNames(made)).toEqual([]);
    await makeErasureList(made);
    const [name] = await erasureListNames(made);
    await appendErasure(made, entry(1));
    await makeErasureList(made);
    expect(await erasureListNames(made)).toEqual([name]);
    expect(await readErasures(made)).toEqual([entry(1)]);

    writeFileSync(old, `${JSON.stringify(entry(2))}\n{"person":"ab`);
    await makeErasureList(old);
    await appendErasure(old, entry(3));
    expect(await readErasures(old)).toEqual([entry(2), entry(3)]);
    const [another, ...more] = await erasureListNames(old);
    expect([another === name, more]).toEqual([false, []]);
  });

  it("is refused if it has another format", async () => {
    const file = join(folder, "other");
    writeFileSync(file, "not\na list\n");
    await expect(readErasures(file)).rejects.toThrow("is not a list of erasures");
    await expect(makeErasureList(file)).rejects.toThrow("is not a list of erasures");
    expect(readFileSync(file, "utf8")).toBe("not\na list\n");
    await expect(readErasures(folder)).rejects.toThrow("The list of erasures cannot be read");
    await expect(appendErasure(join(file, "list"), entry(1))).rejects.toThrow("Correct ERASURE_LIST");
  });

  it("distinguishes two people with the same id", () => {
    const hash = personHash({ id: 1, createdAt: AT });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(personHash({ id: 1, createdAt: new Date(AT.getTime() + 1) })).not.toBe(hash);
    expect(personHash({ id: 2, createdAt: AT })).not.toBe(hash);
  });
});
