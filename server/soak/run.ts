/** `npm run soak -w server -- --minutes 120 --database both`: checks that memory and tables do not grow over a long time. */
import { parseArgs } from "node:util";
import { startPostgres } from "../test/postgres.js";
import { soak } from "./soak.js";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "120" },
    interval: { type: "string", default: "1000" },
    database: { type: "string", default: "both" },
  },
});
const minutes = Number(values.minutes);
const intervalMs = Number(values.interval);
const databases = { embedded: ["embedded"], postgres: ["postgres"], both: ["embedded", "postgres"] }[
  values.database
];
if (!(minutes > 0) || !(intervalMs >= 0) || databases === undefined) {
  console.error(
    "usage: npm run soak -w server -- [--minutes N] [--interval MS] [--database embedded|postgres|both]",
  );
  process.exit(2);
}

/** Runs one database after another, each for the given time. */
for (const database of databases) {
  const postgres = database === "postgres" ? await startPostgres() : undefined;
  try {
    console.log(`\n${database}, ${minutes} minutes`);
    const databaseUrl = postgres === undefined ? null : `${postgres.url}postgres`;
    const { requests, statuses, surprises, growing, table } = await soak({
      minutes,
      intervalMs,
      databaseUrl,
      tell: (line) => console.log(line),
    });
    console.log("Medians of the first, second and last third:");
    for (const line of table) console.log(`  ${line}`);
    console.log(`${requests} requests by status: ${JSON.stringify(statuses)}`);
    for (const surprise of surprises) console.log(`Unexpected: ${surprise}`);
    console.log(
      growing.length === 0
        ? "Memory and tables did not grow at the end."
        : `Still growing:\n  ${growing.join("\n  ")}`,
    );
    if (growing.length > 0 || surprises.length > 0) process.exitCode = 1;
  } finally {
    await postgres?.stop();
  }
}
