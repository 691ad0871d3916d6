import { describe, expect, it } from "vitest";
import { readSheetFile } from "../src/squad/squad-file.js";

const file = (name: string, text: string) => new File([text], name);

describe("a CSV among the files of a squad", () => {
  it("is recognized as the corners of a pitch by its columns", async () => {
    const kindOf = async (name: string, text: string) => {
      const read = await readSheetFile(file(name, text));
      return read === "no reader" ? read : (read?.kind ?? null);
    };
    expect(await kindOf("pitch.csv", "latitude,longitude\n46.9,7.4\n")).toBe("corners");
    expect(await kindOf("Platz.CSV", "\uFEFFLatitude;Longitude\r\n")).toBe("corners");
    expect(await kindOf("pitch.csv", "timestamp,latitude,longitude\n")).toBeNull();
    expect(await kindOf("a.asi", "latitude,longitude\n")).toBeNull();
  });

  it("is passed to the reader of recordings if it cannot be read", async () => {
    const gone = file("pitch.csv", "latitude,longitude\n");
    gone.slice = () => Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new Error("gone")) });
    expect(await readSheetFile(gone)).toBeNull();
  });

  it("is recognized as a roster or periods by its columns", async () => {
    expect(await readSheetFile(file("a.csv", "player,serial\n"))).toMatchObject({ kind: "roster" });
    expect(await readSheetFile(file("a.csv", "period,start,end\n"))).toMatchObject({ kind: "periods" });
    expect(await readSheetFile(file("a.csv", "time,hr\n"))).toBeNull();
  });
});
