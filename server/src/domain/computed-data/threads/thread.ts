// Entry point of the computation threads. Receives a task and returns its results.
import { constants, setPriority } from "node:os";

// Requests have priority over computations, which still get a tenth of a processor that requests keep busy. With the
// lowest priority, they would get a hundredth, and a reader of computed data would wait for seconds. Only Linux has a
// priority per thread; on other systems this would change the priority of the whole process (setpriority(2), "C
// library/kernel differences").
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export { runPlayerTask } from "./player-task.js";
export { writeCsv, writeParquet } from "./table.js";
export { runTask as default } from "./task.js";
export { writeWorkbook } from "./workbook.js";
