import type { IncomingMessage } from "node:http";
import { extensionOf, SAMPLE_FILE_TYPES, type SampleFileFormat } from "../domain/raw-data/sample-file.js";

export const PARQUET_TYPE = SAMPLE_FILE_TYPES.parquet;
export const XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const JSON_AND_CSV = { json: "application/json", csv: SAMPLE_FILE_TYPES.csv };

/** The media type of each extension, by the last part of the path. */
const TYPES: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  samples: new Map(
    Object.entries(SAMPLE_FILE_TYPES).map(([format, type]) => [
      extensionOf(format as SampleFileFormat),
      type,
    ]),
  ),
  figures: new Map(Object.entries({ ...JSON_AND_CSV, parquet: PARQUET_TYPE, xlsx: XLSX_TYPE })),
  periods: new Map(Object.entries(JSON_AND_CSV)),
};

const PATH = /^(\/api\/v2\/(?:[a-z]+\/[^/?]+\/)?(samples|figures|periods))\.([a-z]+)(?=\?|$)/;

/**
 * Replaces an extension at the end of a path with the slash, and sets `Accept` to the type of the extension. Spreadsheets and some
 * other programs cannot send `Accept`.
 * @returns the address with the slash
 */
export function withoutExtension(request: Pick<IncomingMessage, "method" | "url" | "headers">): string {
  const url = request.url ?? "/";
  if (request.method !== "GET" && request.method !== "HEAD") return url;
  const [path, resource, name, extension] = PATH.exec(url) ?? [];
  const type = TYPES[name ?? ""]?.get(extension ?? "");
  if (path === undefined || type === undefined) return url;
  request.headers.accept = type;
  return `${resource}/${url.slice(path.length)}`;
}
