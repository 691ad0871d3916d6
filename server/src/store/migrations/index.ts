import ground from "./0001-ground.js";
import jsonSchemas from "./0002-json-schemas.js";
import webhooks from "./0003-webhooks.js";
import samples from "./0004-samples.js";
import computedData from "./0005-computed-data.js";
import firmware from "./0006-firmware.js";

/** All migrations in the order in which they are applied. A published one never changes; a new one is added below. */
export const migrations: readonly { name: string; sql: string }[] = [
  { name: "0001-ground", sql: ground },
  { name: "0002-json-schemas", sql: jsonSchemas },
  { name: "0003-webhooks", sql: webhooks },
  { name: "0004-samples", sql: samples },
  { name: "0005-computed-data", sql: computedData },
  { name: "0006-firmware", sql: firmware },
];
