import type { Attack } from "./attack.js";
import { bodies } from "./bodies.js";
import { connections } from "./connections.js";
import { passwords } from "./passwords.js";
import { reading } from "./reading.js";
import { work } from "./work.js";

const all: readonly Attack[] = [...bodies, ...connections, ...passwords, ...reading, ...work];
const isOpen = ({ open }: Attack) => open !== undefined;

/** Every attack, in the order in which they run: those that leave work behind for the next ones come last. */
export const attacks: readonly Attack[] = [...all.filter((attack) => !isOpen(attack)), ...all.filter(isOpen)];
