import { Readable } from "node:stream";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { confirmPassword, OwnPassword } from "../../domain/accounts/credential-changes.js";
import { authorize } from "../../domain/change/access.js";
import { ErasureProof, eraseAthlete } from "../../domain/deletion/erase.js";
import { exportAthlete, exportFileName } from "../../domain/exports/athlete.js";
import { auditDownload } from "../../domain/raw-data/audit.js";
import { auditedDownload } from "../files/audited-download.js";
import { ConcurrencyLimiter } from "../limits/concurrency-limiter.js";
import { FileResponse } from "../responses.js";
import { route } from "../route.js";

const tag = "Athletes";

const ErasureConfirmation = Type.Object(
  { password: OwnPassword("Your own password, again") },
  { examples: [{ password: "a long passphrase" }] },
);

/**
 * Maximum number of concurrent exports in a process. They have a separate limit, because an export to a slow client may take
 * hours.
 */
const MAX_EXPORTS = 4;
const MAX_EXPORTS_PER_USER = 1;

/** Adds the operations for the rights of data subjects: a copy of all their data, and its erasure. */
export function personalDataRoutes(app: FastifyInstance): void {
  const places = new ConcurrencyLimiter(MAX_EXPORTS, MAX_EXPORTS_PER_USER);

  route(app, {
    id: "exportAthlete",
    tag,
    summary: "Export everything about an athlete",
    description:
      "Returns a zip archive: the profile, permissions, sessions, activities, time frames, computed data and audit as JSON, and the samples of the time frames, from times when their owner owned the device, as CSV, each sample once. The service sends the archive while creating it. An archive that can be opened is complete, and contains export.json.",
    method: "GET",
    path: "/api/v1/athletes/{athlete}/export/",
    success: { status: 200, mediaType: "application/zip", isFile: true },
    throttle: ["files"],
    ignoresAccept: true,
    async handle({ ctx, request, reply, target: { athlete } }) {
      await places.take(reply);
      const name = exportFileName(athlete, ctx.clock.now());
      const requireRight = () => authorize(ctx, "exportAthlete", { athlete: athlete.id });
      // Creating an archive starts reading, so create it when its first piece is requested.
      async function* archive(): AsyncGenerator<Uint8Array> {
        yield* exportAthlete(ctx, athlete, requireRight);
      }
      const object = { entity: "account", id: athlete.id } as const;
      // For a HEAD request, the framework would read the whole archive and discard it.
      const pieces =
        request.method === "HEAD"
          ? []
          : auditedDownload(archive(), request, (end) =>
              auditDownload(ctx, "exportAthlete", object, { format: "zip", end }),
            );
      const file = Readable.from(pieces, { objectMode: false });
      return new FileResponse(name, null, file, "application/zip");
    },
  });

  route(app, {
    id: "eraseAthlete",
    tag,
    summary: "Erase an athlete",
    description:
      "Deletes everything that deleteAthlete deletes, and removes the id of the person from the audit log. Positions recorded by a device are kept without the name; positions in the time frames are also removed if the operator has set ERASE_SAMPLES. Backups are not changed. The audit log keeps the proof that is returned. This cannot be undone.",
    method: "POST",
    path: "/api/v1/athletes/{athlete}/erase/",
    body: ErasureConfirmation,
    success: { status: 200, schema: ErasureProof },
    failures: [400],
    async handle({ ctx, target: { athlete }, body }) {
      await confirmPassword(ctx, body.password);
      return eraseAthlete(ctx, athlete);
    },
  });
}
