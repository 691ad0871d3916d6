import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { foldersOf } from "../src/cli/service/device-folders.js";
import { scratchFolder } from "./asi-process.js";

const ORIGIN = { service: "https://club.example/", account: 5 };
const NOWHERE = "/absent/folder";

const serialsAs = (...serials: string[]) => serials.map((serial, i) => ({ id: i + 1, serial }));
const namesOf = (outDir: string, devices: readonly { id: number; serial: string }[]) => [
  ...foldersOf(outDir, devices, ORIGIN),
];

test("a folder is named by the serial number of its device, or by the id if some system cannot store such a name", () => {
  expect(namesOf(NOWHERE, serialsAs("AB-1", "ab-1", "AB-2.", "CON", "id-1", "a/b", "Müller"))).toEqual([
    [1, "serial=AB-1"],
    [2, "serial=id-2"],
    [3, "serial=id-3"],
    [4, "serial=id-4"],
    [5, "serial=id-5"],
    [6, "serial=id-6"],
    [7, "serial=id-7"],
  ]);
});

test("no two devices share a folder on a file system that ignores case and trailing dots", () => {
  const serial = fc.constantFrom("A", "a", "a.", "A..", "id-1", "ID-2", "nul", "NUL.x", "é", "e\u0301", "");
  fc.assert(
    fc.property(fc.array(serial, { maxLength: 8 }), (serials) => {
      const names = namesOf(NOWHERE, serialsAs(...serials)).map(([, name]) =>
        name.normalize("NFC").toLowerCase().replace(/\.+$/, ""),
      );
      expect(new Set(names).size).toBe(serials.length);
    }),
  );
});

test("a device keeps the folder with its files, even if a device with a lower id has the same name", () => {
  const folder = scratchFolder();
  mkdirSync(join(folder, "serial=AB-1"));
  const list = { version: 1, ...ORIGIN, device: 9, timeZone: "UTC", files: {} };
  writeFileSync(join(folder, "serial=AB-1", ".asi-pull.json"), JSON.stringify(list));
  expect(
    namesOf(folder, [
      { id: 2, serial: "AB-1" },
      { id: 9, serial: "AB-1" },
    ]),
  ).toEqual([
    [9, "serial=AB-1"],
    [2, "serial=id-2"],
  ]);
});

test("a list that cannot be read does not prevent the downloads of other devices", () => {
  const folder = scratchFolder();
  // reading a folder fails for every user, even for root
  mkdirSync(join(folder, "serial=AB-1", ".asi-pull.json"), { recursive: true });
  expect(namesOf(folder, serialsAs("CD-2"))).toEqual([[1, "serial=CD-2"]]);
});
