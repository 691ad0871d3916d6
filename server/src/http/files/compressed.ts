import type { Transform } from "node:stream";
import zlib from "node:zlib";
import type { FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import type { ResponseHead } from "../responses.js";

/** Content codings of a file that is written as it is sent, in order of preference. */
const CODINGS: ReadonlyMap<string, () => Transform> = new Map([
  // Node.js has zstd since 22.15.
  ...("createZstdCompress" in zlib ? [["zstd", zlib.createZstdCompress as () => Transform] as const] : []),
  ["gzip", () => zlib.createGzip({ level: zlib.constants.Z_BEST_SPEED })] as const,
]);

/**
 * Returns a compressor for a client that accepts one (RFC 9110 section 12.5.3), and sets `Content-Encoding`.
 * @returns undefined if the file is sent as it is
 */
export function compressorFor(
  { headers }: Pick<FastifyRequest, "headers">,
  reply: ResponseHead,
): Transform | undefined {
  const [coding = "identity"] = new Negotiator({ headers }).encodings([...CODINGS.keys(), "identity"]);
  const compressor = CODINGS.get(coding)?.();
  if (compressor !== undefined) reply.header("Content-Encoding", coding);
  return compressor;
}
