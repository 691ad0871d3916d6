/** Provides a service with two managers, and uploads of recordings of any device. */
import { sql } from "drizzle-orm";
import { withOwnService } from "./file-service.js";
import { walk } from "./recordings.js";
import type { Answer, TestAccount, TestDevice, TestService } from "./service.js";

export const PATH = "/api/v2/recordings/";
export const START = "2024-03-01T10:00:00.000Z";
export const OCTETS = "application/octet-stream";

type Bytes = Uint8Array<ArrayBuffer>;
const blobOf = (bytes: Uint8Array) => new Blob([bytes as Bytes]);

export function formOf(files: readonly (readonly [name: string, bytes: Uint8Array])[]): FormData {
  const form = new FormData();
  for (const [name, bytes] of files) form.append("file", blobOf(bytes), name);
  return form;
}

async function uploadsOn(s: TestService) {
  const [ann, bob] = await Promise.all([s.manager(), s.manager()]);

  /** Uploads a recording as the body. */
  const raw = (bytes: Uint8Array, by: TestAccount = ann, at = s): Promise<Answer> =>
    at.send("POST", PATH, { token: by.token, body: blobOf(bytes), headers: { "Content-Type": OCTETS } });

  /** Uploads files in a form. */
  const form = (files: Parameters<typeof formOf>[0], by: TestAccount = ann, at = s): Promise<Answer> =>
    at.send("POST", PATH, { token: by.token, body: formOf(files) });

  const longOwned = (owner = ann) => s.longOwned(owner);

  const recordingOf = ({ serial_number }: TestDevice, rows = 10) => walk(serial_number, START, rows);

  const jobOf = async ({ job_id }: { job_id: string }, by = ann) =>
    (await s.get(`/api/v1/jobs/${job_id}/`, by.token)).body;

  const count = async (
    what: "job_bodies" | "jobs WHERE state = 'PENDING'" | "audit_log WHERE operation = 'uploadRecordings'",
  ) =>
    Number(
      (
        await s.store.database.queries.execute<{ n: number }>(
          sql`SELECT count(*)::int AS n FROM ${sql.raw(what)}`,
        )
      ).rows[0]?.n,
    );

  return { s, ann, bob, raw, form, longOwned, recordingOf, jobOf, count };
}

/** Creates an `it` for a file with a service, two managers and uploads. */
export const withUploads = () =>
  withOwnService().extend("uploads", { scope: "file" }, ({ service }) => uploadsOn(service));
