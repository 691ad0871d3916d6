import { rowTemplate } from "../row-text/template.js";
import { textFormat } from "./text-format.js";

/**
 * GeoJSON lines (RFC 7946, one Feature a line): a point for each row. The heights of GeoJSON are those above the ellipsoid,
 * ours are above mean sea level: therefore the altitude is a property.
 */
export const openGeojsonl = textFormat({
  row: rowTemplate([
    '{"type":"Feature","geometry":{"type":"Point","coordinates":[',
    { field: "longitude" },
    ",",
    { field: "latitude" },
    ']},"properties":{"time":"',
    { field: "isoTime" },
    '","altitude":',
    { where: "altitude", given: [{ field: "altitude" }], missing: ["null"] },
    ',"speed":',
    { field: "speed" },
    ',"hr":',
    { where: "hr", given: [{ field: "hr" }], missing: ["null"] },
    "}}\n",
  ]),
});
