export {
  type ConvertFileOptions,
  convertFile,
  convertToFile,
  type FileConversion,
  type WriteOptions,
} from "./files/convert-file.js";
export { type EncodeCsvOptions, encodeCsv } from "./files/encode-csv.js";
export type { WrittenFile } from "./files/output-file.js";
export { type ReadFileOptions, readFileChunks } from "./files/read-file.js";
export { type FileRepair, inspectFile, type RepairFileOptions, repairFile } from "./files/recordings.js";
