import { ApiError, type Client, unwrap } from "asi-client";

/** A line of the file that the service has refused, with the required action. */
export interface LineProblem {
  /** The line, such as `line 3`, or an empty text for the whole file. */
  place: string;
  detail: string;
}

/** A roster with the options of its import. */
export interface RosterFile {
  csv: ArrayBuffer;
  from: string;
  /** Whether to create athletes whom the service does not know. */
  create: boolean;
  /** Whether to replace values that start after `from`. */
  replacesLater: boolean;
}

/** Imports the players and trackers of a squad. @throws ApiError, AwayError */
export function importRoster(client: Client, squad: number, file: RosterFile) {
  return unwrap(
    client.POST("/api/v2/squads/{squad}/roster/", {
      params: {
        path: { squad },
        query: { from: file.from, create: file.create, replace_later: file.replacesLater },
      },
      headers: { "Content-Type": "text/csv" },
      // the service detects the encoding of the bytes
      body: file.csv as never,
      bodySerializer: (csv: unknown) => csv as ArrayBuffer,
    }),
  );
}

/** Returns the lines that the service has refused. The list is empty for other errors. */
export function refusedLines(error: unknown): LineProblem[] {
  if (!(error instanceof ApiError) || typeof error.body !== "object" || error.body === null) return [];
  const { errors } = error.body as { errors?: { field: string; detail: string }[] };
  return (errors ?? []).map(({ field, detail }) => ({ place: field, detail }));
}

/** The result of a roster import. */
export type ImportedRoster = Awaited<ReturnType<typeof importRoster>>;
