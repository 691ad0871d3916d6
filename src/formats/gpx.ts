import { rowTemplate } from "../rows/row-text/template.js";
import { textFormat } from "./text-format.js";
import { escapeXml } from "./xml.js";

/**
 * Creates a writer for GPX 1.1: a track segment for each range. Heart rate and speed are in version 2 of Garmin's
 * TrackPointExtension, in the order of its schema, because GPX 1.1 itself has no speed. Longitudes must be less than 180 degrees.
 */
export const openGpx = textFormat({
  before: ({ info }) => `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="asi-convert" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd http://www.garmin.com/xmlschemas/TrackPointExtension/v2 https://www8.garmin.com/xmlschemas/TrackPointExtensionv2.xsd">
<trk><name>${escapeXml(info.serial)}</name>
`,
  range: { before: "<trkseg>\n", after: "</trkseg>\n" },
  row: rowTemplate([
    '<trkpt lat="',
    { field: "latitude" },
    '" lon="',
    { field: "longitudeBelow180" },
    '">',
    { where: "altitude", given: ["<ele>", { field: "altitude" }, "</ele>"] },
    "<time>",
    { field: "isoTime" },
    "</time><extensions><gpxtpx:TrackPointExtension>",
    { where: "hr", given: ["<gpxtpx:hr>", { field: "hr" }, "</gpxtpx:hr>"] },
    "<gpxtpx:speed>",
    { field: "speed" },
    "</gpxtpx:speed></gpxtpx:TrackPointExtension></extensions></trkpt>\n",
  ]),
  after: "</trk>\n</gpx>\n",
});
