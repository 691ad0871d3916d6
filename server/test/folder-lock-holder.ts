/** A process that locks a folder, reports this, and holds the lock until it is killed. */
import { lockFolder } from "../src/store/embedded/folder-lock.js";

try {
  await lockFolder(process.argv[2] ?? "");
  console.log(`held by ${process.pid}`);
  setInterval(() => undefined, 1_000_000);
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
}
