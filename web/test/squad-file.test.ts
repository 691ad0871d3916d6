import { RECIPES } from "asi-convert/metrics";
import { describe, expect, it } from "vitest";
import { recipesInFile } from "../src/parts/recipe-file.js";
import { frameIn } from "../src/squad/map/pitch-file.js";
import { readSheetFile } from "../src/squad/squad-file.js";

const file = (name: string, text: string) => new File([text], name);

/** Returns a text in the encodings in which programs save it. */
const encodings = (text: string) => [
  new Uint8Array(Buffer.from(text, "latin1")),
  new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le")),
  new Uint8Array(Buffer.from(text)),
];

describe("a file in Windows-1252 or UTF-16", () => {
  it("has the same corners of a pitch as in UTF-8", async () => {
    const text = "Länge;Breite\r\n7,46;46,96\r\n7,4613;46,96\r\n7,4613;46,9606\r\n7,46;46,9606\r\n";
    const frames = await Promise.all(encodings(text).map((bytes) => frameIn(new File([bytes], "Platz.csv"))));
    const centres = frames.map((frame) => frame.toPitch({ latitude: 46.9603, longitude: 7.46065 }));
    expect(centres).toEqual([centres[2], centres[2], centres[2]]);
  });

  it("has the same recipes as in UTF-8", async () => {
    const recipe = JSON.stringify(RECIPES[0]?.recipe);
    for (const bytes of encodings(`{"Läufe": ${recipe}}`)) {
      const found = await recipesInFile(new File([bytes], "a.json"));
      expect(found.map(({ name }) => name)).toEqual(["Läufe"]);
    }
  });
});

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
