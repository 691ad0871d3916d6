import { AsiError, convert, type DecodeOptions, repair } from "../src/index.js";
import { wholeBytes, wholeText } from "./whole.js";

/** The library's results for a recording: bytes, report and name, or the error. */
export async function libraryOutcome(bytes: Uint8Array, options: DecodeOptions): Promise<unknown> {
  const conversion = convert(bytes, options);
  const { serial, signal, engine } = options;
  const repaired = repair(bytes, { serial, signal, engine });
  return {
    csv: await settled(wholeText(conversion.body)),
    info: await settled(conversion.info),
    report: await settled(conversion.report),
    fileName: await settled(conversion.fileName),
    repaired: await settled(wholeBytes(repaired.recording)),
  };
}

async function settled<T>(promise: Promise<T>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    if (!(error instanceof AsiError)) throw error;
    const { code, byteOffset, message, report } = error;
    return { code, byteOffset, message, report };
  }
}
