import { rowTemplate } from "../rows/row-text/template.js";
import { bufferedFormat } from "./buffered-format.js";
import { escapeXml } from "./xml.js";

const WHEN = rowTemplate(["<when>", { field: "isoTime" }, "</when>\n"]);
const COORDINATES = rowTemplate([
  "<gx:coord>",
  { field: "longitude" },
  " ",
  { field: "latitude" },
  { where: "altitude", given: [" ", { field: "altitude" }] },
  "</gx:coord>\n",
]);
const SPEED = rowTemplate(["<gx:value>", { field: "speed" }, "</gx:value>\n"]);
const HR = rowTemplate(["<gx:value>", { where: "hr", given: [{ field: "hr" }] }, "</gx:value>\n"]);

/** Maximum number of rows per track. Few programs display longer tracks well, and the limit bounds the number of
 * buffered rows. */
const MAX_ROWS = 16_384;

/**
 * Creates a writer for KML 2.2 with Google's extension: a `gx:MultiTrack` for each range, consisting of tracks of at most 16,384
 * rows. The arrays of speeds and heart rates have an entry for each row, which is empty if the row has no value.
 */
export const openKml = bufferedFormat({
  maxRows: MAX_ROWS,
  before: ({ info }) => `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
<Document><name>${escapeXml(info.serial)}</name>
<Schema id="row">
<gx:SimpleArrayField name="speed" type="float"><displayName>Speed (m/s)</displayName></gx:SimpleArrayField>
<gx:SimpleArrayField name="hr" type="int"><displayName>Heart rate (bpm)</displayName></gx:SimpleArrayField>
</Schema>
`,
  range: {
    before: "<Placemark><gx:MultiTrack>\n",
    after: "</gx:MultiTrack></Placemark>\n",
  },
  *part({ write }) {
    yield "<gx:Track>\n";
    yield* write(WHEN);
    yield* write(COORDINATES);
    yield '<ExtendedData><SchemaData schemaUrl="#row">\n<gx:SimpleArrayData name="speed">\n';
    yield* write(SPEED);
    yield '</gx:SimpleArrayData>\n<gx:SimpleArrayData name="hr">\n';
    yield* write(HR);
    yield "</gx:SimpleArrayData>\n</SchemaData></ExtendedData>\n</gx:Track>\n";
  },
  after: "</Document>\n</kml>\n",
});
