// What the computation's threads load: a task comes in, its JSON text goes out.
import { constants, setPriority } from "node:os";

// Where processors are scarce, requests go first. Only Linux keeps a priority for each thread; elsewhere it would be that
// of the whole process (setpriority(2), "C library/kernel differences").
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);

export { runTask as default } from "./task.js";
