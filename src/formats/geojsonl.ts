import { rowTemplate } from "../rows/row-text/template.js";
import { textFormat } from "./text-format.js";

/**
 * Creates a writer for GeoJSON lines (RFC 7946, one Feature per line): a Point for each row. GeoJSON heights are above the
 * ellipsoid, but altitudes here are above mean sea level, so the altitude is a property and not part of the position.
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
