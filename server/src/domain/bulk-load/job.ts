import { Type } from "@sinclair/typebox";
import { type Item, item } from "../change/entity-tags.js";
import type { Job } from "./rules.js";

export const JobResource = Type.Object(
  {
    id: Type.Integer(),
    job_id: Type.String({ examples: ["job-0b0e1b7a-5a5b-4a57-9d0c-3b7f6f0c2d11"] }),
    state: Type.String({
      description: "PENDING, STARTED, RETRY; at the end SUCCESS, FAILURE or REVOKED",
      examples: ["SUCCESS"],
    }),
    details: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          "Empty until the end. Success: device, samples_read, samples_stored, samples_known, samples_refused, samples_unowned, start, stop, ranges, readable, report. Failure: code, message. samples_refused counts samples from times at which you did not own the device, and samples more than 5 minutes ahead of the clock; samples_unowned counts those from times at which the device had no owner. A recording with samples in more than 5,000 periods of five minutes fails with too_scattered, also if it would rewrite too many samples together with those stored in these periods: more than 500,000 and 25 for each of its samples, or more than 10,000,000. If five minutes would have more than 30,000 samples, it fails with too_dense. Nothing is stored then, unless another recording uses up a limit while this one is stored.",
      },
    ),
  },
  { $id: "Job" },
);

export const toJob = ({ id, jobId, state, details }: Job) => ({ id, job_id: jobId, state, details });

export const jobItem = (job: Job): Item<ReturnType<typeof toJob>> =>
  item(toJob(job), job.losses, job.failures);
