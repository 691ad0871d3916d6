import { ApiError, type Client, unwrap } from "asi-client";

/** What the import of a roster has done. */
export interface ImportedRoster {
  created: { athletes: number; members: number; assignments: number };
  /** Those that started at the same time with other values. */
  changed: { members: number; assignments: number };
  unchanged: number;
}

/** A line of the file that the service has refused, with what to do. */
export interface LineProblem {
  /** `line 3`; empty for the file as a whole. */
  place: string;
  detail: string;
}

type PostRoster = (
  path: "/api/v2/squads/{squad}/roster/",
  init: {
    params: { path: { squad: number }; query: { from: string; create: boolean } };
    headers: Record<string, string>;
    body: string;
    bodySerializer: (body: string) => string;
  },
) => Promise<{ data?: ImportedRoster; error?: unknown; response: Response }>;

/** Imports the players and trackers of a squad. @throws ApiError, AwayError */
export function importRoster(
  client: Client,
  squad: number,
  file: { csv: string; from: string; create: boolean },
): Promise<ImportedRoster> {
  // the description of the API does not have this operation yet
  const post = client.POST as unknown as PostRoster;
  return unwrap(
    post("/api/v2/squads/{squad}/roster/", {
      params: { path: { squad }, query: { from: file.from, create: file.create } },
      headers: { "Content-Type": "text/csv" },
      body: file.csv,
      bodySerializer: (csv) => csv,
    }),
  );
}

/** The lines that the service has refused; empty if the error is another one. */
export function refusedLines(error: unknown): LineProblem[] {
  if (!(error instanceof ApiError) || typeof error.body !== "object" || error.body === null) return [];
  const { errors } = error.body as { errors?: { field: string; detail: string }[] };
  return (errors ?? []).map(({ field, detail }) => ({ place: field, detail }));
}
