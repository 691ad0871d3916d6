import { inflateSync } from "node:zlib";

// Reads the text of the PDFs that Chromium prints. They have pages with compressed streams, and fonts with two bytes a glyph and a map to Unicode
// (ISO 32000-1, 9.4 and 9.10.3). It supports no other PDFs.

/** Returns the text of each page, in drawing order. */
export function pdfPages(pdf: Uint8Array): string[] {
  const file = Buffer.from(pdf).toString("latin1");
  const objects = new Map<number, string>();
  for (const [, number, body = ""] of file.matchAll(/(?:^|\n)(\d+) 0 obj\s([\s\S]*?)\sendobj/g))
    objects.set(Number(number), body);
  const get = (reference: string | undefined) => objects.get(Number.parseInt(reference ?? "", 10)) ?? "";
  const unicodeOf = new Map<string, Map<string, string>>();
  const mapOf = (font: string) => {
    const known = unicodeOf.get(font);
    if (known !== undefined) return known;
    const [, map] = /\/ToUnicode (\d+) 0 R/.exec(get(font)) ?? [];
    const read = map === undefined ? new Map<string, string>() : unicodeMap(streamOf(get(map)));
    unicodeOf.set(font, read);
    return read;
  };
  return pagesInOrder(objects, get).map((page) => {
    const [, resources = ""] = /\/Font\s*<<([\s\S]*?)>>/.exec(page) ?? [];
    const fonts = new Map(
      [...resources.matchAll(/\/(\w+) (\d+) 0 R/g)].map(([, name = "", id = ""]) => [name, id]),
    );
    const [, contents] = /\/Contents (\d+) 0 R/.exec(page) ?? [];
    return textOf(streamOf(get(contents)), (name) => mapOf(fonts.get(name) ?? ""));
  });
}

function pagesInOrder(objects: ReadonlyMap<number, string>, get: (reference: string) => string): string[] {
  const root = [...objects.values()].find(
    (body) => /\/Type \/Pages\b/.test(body) && !/\/Parent\b/.test(body),
  );
  const walk = (body: string): string[] =>
    /\/Type \/Pages\b/.test(body)
      ? [...(/\/Kids \[([^\]]*)\]/.exec(body)?.[1] ?? "").matchAll(/(\d+) 0 R/g)].flatMap(([, id = ""]) =>
          walk(get(id)),
        )
      : [body];
  return walk(root ?? "");
}

function streamOf(body: string): string {
  const at = body.indexOf("stream");
  if (at < 0) return "";
  const start = at + (body[at + 6] === "\r" ? 8 : 7);
  const bytes = Buffer.from(body.slice(start, body.lastIndexOf("endstream")), "latin1");
  return /\/FlateDecode/.test(body.slice(0, at))
    ? inflateSync(bytes).toString("latin1")
    : bytes.toString("latin1");
}

/** Returns the map from codes, as four hexadecimal digits, to text. */
function unicodeMap(cmap: string): Map<string, string> {
  const map = new Map<string, string>();
  const text = (hex: string) => Buffer.from(hex, "hex").swap16().toString("utf16le");
  for (const [, section = ""] of cmap.matchAll(/beginbfchar([\s\S]*?)endbfchar/g))
    for (const [, code = "", to = ""] of section.matchAll(/<(\w+)> <(\w+)>/g))
      map.set(code.toUpperCase(), text(to));
  for (const [, section = ""] of cmap.matchAll(/beginbfrange([\s\S]*?)endbfrange/g))
    for (const [, from = "", last = "", to = ""] of section.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g))
      for (let code = Number.parseInt(from, 16); code <= Number.parseInt(last, 16); code++) {
        const moved = Number.parseInt(to, 16) + code - Number.parseInt(from, 16);
        map.set(code.toString(16).toUpperCase().padStart(4, "0"), String.fromCodePoint(moved));
      }
  return map;
}

/** Returns the texts of a page, with spaces between texts that are drawn separately. Within a text, every glyph has its own `Td`. */
function textOf(content: string, mapOf: (font: string) => ReadonlyMap<string, string>): string {
  let map: ReadonlyMap<string, string> = new Map();
  let text = "";
  const tokens = /\/(\w+) [\d.]+ Tf|<([0-9A-Fa-f]+)>|\b(?:Tm|ET)\b/g;
  for (const [token, font, hex] of content.matchAll(tokens)) {
    if (font !== undefined) map = mapOf(font);
    else if (hex !== undefined)
      for (const code of hex.toUpperCase().match(/.{4}/g) ?? []) text += map.get(code) ?? "";
    else if (token === "ET" || token === "Tm") text += " ";
  }
  return text.replace(/\s+/g, " ").trim();
}
