import { describe, expect, it } from "vitest";
import { isPitchFile, readSheetFile } from "../src/squad/squad-file.js";

const file = (name: string, text: string) => new File([text], name);

describe("a CSV among the files of a squad", () => {
  it("is the corners of a pitch by its columns", async () => {
    expect(await isPitchFile(file("pitch.csv", "latitude,longitude\n46.9,7.4\n"))).toBe(true);
    expect(await isPitchFile(file("Platz.CSV", "\uFEFFLatitude;Longitude\r\n"))).toBe(true);
    expect(await isPitchFile(file("pitch.csv", "timestamp,latitude,longitude\n"))).toBe(false);
    expect(await isPitchFile(file("a.asi", "latitude,longitude\n"))).toBe(false);
  });

  it("is left to the reader of recordings if it cannot be read", async () => {
    const gone = file("pitch.csv", "");
    gone.slice = () => Object.assign(new Blob(), { text: () => Promise.reject(new Error("gone")) });
    expect(await isPitchFile(gone)).toBe(false);
  });

  it("is a roster or periods by its columns", async () => {
    expect(await readSheetFile(file("a.csv", "player,serial\n"))).toMatchObject({ kind: "roster" });
    expect(await readSheetFile(file("a.csv", "period,start,end\n"))).toMatchObject({ kind: "periods" });
    expect(await readSheetFile(file("a.csv", "latitude,longitude\n"))).toBeNull();
  });
});
