import { convert } from "../../src/index.js";
import { asiInf, joined, navPvt } from "../frames.js";

const { body: csv, fileName } = convert(joined([asiInf(), navPvt()]));
const reader = csv.getReader();
console.log("before");
console.log(await fileName, reader);
