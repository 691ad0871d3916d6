// What the computation's threads load: a task comes in, its JSON text goes out.
export { runTask as default } from "./task.js";
