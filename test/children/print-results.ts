import { convert, decodeRows, encode, inspect } from "../../src/index.js";
import { fixture } from "../fixture-files.js";
import { all, wholeBytes, wholeText } from "../whole.js";

/** Prints the results of the named fixtures, and the time zone. */

const header = { serial: "ZONE-1" };
const results: unknown[] = [];
for (const name of process.argv.slice(2)) {
  const { bytes, options } = fixture(name);
  const conversion = convert(bytes, options);
  const rows = await all(decodeRows(bytes, options));
  const encoded = await wholeBytes(encode(rows, header));
  results.push({
    csv: await wholeText(conversion.body),
    fileName: await conversion.fileName,
    plain: await wholeText(convert(bytes, { ...options, engine: "plain" }).body),
    again: await wholeText(convert(encoded).body),
    limited: await wholeText(convert(bytes, { ...options, from: new Date(rows[1]?.timestamp ?? 0) }).body),
    report: (await inspect(bytes, options)).report,
  });
}
console.log(JSON.stringify({ minutesWestOfGreenwich: new Date(1.7e12).getTimezoneOffset(), results }));
