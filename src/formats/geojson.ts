import { rowTemplate } from "../rows/row-text/template.js";
import { bufferedFormat } from "./buffered-format.js";

const ARRAYS = [
  ["times", rowTemplate([',"', { field: "isoTime" }, '"'])],
  ["altitudes", rowTemplate([",", { where: "altitude", given: [{ field: "altitude" }], missing: ["null"] }])],
  ["speeds", rowTemplate([",", { field: "speed" }])],
  ["heartRates", rowTemplate([",", { where: "hr", given: [{ field: "hr" }], missing: ["null"] }])],
] as const;

const POSITION = rowTemplate([",[", { field: "longitude" }, ",", { field: "latitude" }, "]"]);

/**
 * Creates a writer for GeoJSON (RFC 7946): a Feature for each range. Its geometry is a LineString; times, altitudes, speeds and
 * heart rates are arrays in `coordinateProperties`, with one entry for each position. A range of one row is a Point, because a
 * LineString needs two positions. GeoJSON heights are above the ellipsoid, but altitudes here are above mean sea level, so the
 * altitude is a property and not part of the position.
 */
export const openGeojson = bufferedFormat({
  before: '{"type":"FeatureCollection","features":[\n',
  range: { before: "", after: "", between: ",\n" },
  *part({ rows, write }) {
    const [type, open, close] = rows.length === 1 ? ["Point", "", ""] : ["LineString", "[", "]"];
    yield `{"type":"Feature","geometry":{"type":"${type}","coordinates":${open}`;
    yield* write(POSITION, 1);
    yield `${close}},"properties":{"coordinateProperties":`;
    for (const [i, [name, template]] of ARRAYS.entries()) {
      yield `${i === 0 ? "{" : "],"}"${name}":[`;
      yield* write(template, 1);
    }
    yield "]}}}";
  },
  after: "\n]}\n",
});
