/** A process that reads the server key of many data folders, one after another, and reports the keys. */
import { serverKeyOf } from "../src/store/connection/server-key.js";

process.once("message", (dataDirs: string[]) => {
  try {
    process.send?.(dataDirs.map((dataDir) => Buffer.from(serverKeyOf(dataDir)).toString("hex")));
  } catch (error) {
    process.send?.(String(error));
  }
  process.disconnect();
});
process.send?.("ready");
