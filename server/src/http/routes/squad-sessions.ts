import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { deleteSession } from "../../domain/deletion/activity.js";
import { CopiedPeriods, copyPeriods, PeriodsCopy } from "../../domain/sessions/copy-periods.js";
import { createSession } from "../../domain/sessions/create.js";
import { sessionTable } from "../../domain/sessions/figures.js";
import {
  tableAsCsv,
  tableAsJson,
  tableAsParquet,
  tableAsWorkbook,
} from "../../domain/sessions/figures-formats.js";
import { FiguresQuery, SessionFigures } from "../../domain/sessions/figures-resource.js";
import { listSessions, SessionFilters } from "../../domain/sessions/list.js";
import {
  replacePeriods,
  replacePeriodsByCsv,
  retrievePeriods,
  retrievePeriodsCsv,
} from "../../domain/sessions/periods.js";
import {
  Session,
  SessionInput,
  SessionPatch,
  SessionPeriods,
  SessionPeriodsInput,
} from "../../domain/sessions/resource.js";
import { squadSeason } from "../../domain/sessions/season.js";
import { Season, SeasonQuery } from "../../domain/sessions/season-resource.js";
import { SuggestedQuery, SuggestedSession, suggestSessions } from "../../domain/sessions/suggested.js";
import { updateSession } from "../../domain/sessions/update.js";
import { sessionDetails } from "../../domain/sessions/waiting-work.js";
import { CursorPage } from "../../wire/cursor.js";
import { Query } from "../../wire/types.js";
import { preferredOf, prefersCsv } from "../negotiation.js";
import { PARQUET_TYPE, XLSX_TYPE } from "../path-extension.js";
import { isNotModified, TypedFile, TypedText } from "../responses.js";
import { route } from "../route.js";

/** Members shared by the operations. */
const sessions = { tag: "Sessions", version: 2 } as const;

const COLLECTION = "/api/v2/sessions/";
const SESSION = `${COLLECTION}{session}/`;
const CSV = "text/csv";

const PeriodsQuery = Type.Object({
  tz: Query.text("Time zone of the times in a CSV, such as Europe/Zurich; default UTC"),
});

export function squadSessionRoutes(app: FastifyInstance): void {
  route(app, {
    ...sessions,
    id: "listSquadSessions",
    summary: "List the sessions that you can read",
    description: "Returns the most recently created first.",
    method: "GET",
    path: COLLECTION,
    query: SessionFilters,
    success: { status: 200, schema: CursorPage(Session) },
    failures: [400],
    handle: ({ ctx, query }) => listSessions(ctx, query),
  });

  route(app, {
    ...sessions,
    id: "createSquadSession",
    summary: "Create a session",
    description:
      "Creates the activity with the same id. Time frames are created for each player of the squad and each device assigned to the player at that time.",
    method: "POST",
    path: COLLECTION,
    body: SessionInput,
    success: {
      status: 201,
      schema: Session,
      headers: { Location: "The path of the session" },
      collection: COLLECTION,
    },
    failures: [400, 409],
    isHeavy: true,
    handle: ({ ctx, body }) => createSession(ctx, body),
  });

  route(app, {
    ...sessions,
    id: "listSuggestedSessions",
    summary: "List times with samples that are not in a session yet",
    description:
      "Returns the times of samples of your devices that overlap or follow each other within 30 minutes, grouped like recordings in `asi squad`, but only by time. The latest times are first. The list omits times in a session of the athlete's squad or, if the squad is unknown, in any session. More than 100,000 times without a session are refused with `too_many_ranges`.",
    method: "GET",
    path: `${COLLECTION}suggested/`,
    query: SuggestedQuery,
    success: { status: 200, schema: CursorPage(SuggestedSession) },
    failures: [400, 409],
    isHeavy: true,
    throttle: ["rawData"],
    handle: ({ ctx, query }) => suggestSessions(ctx, query),
  });

  route(app, {
    ...sessions,
    id: "retrieveSquadSession",
    summary: "Retrieve a session",
    method: "GET",
    path: SESSION,
    success: { status: 200, schema: Session },
    handle: ({ ctx, target }) => sessionDetails(ctx.queries, target),
  });

  route(app, {
    ...sessions,
    id: "updateSquadSession",
    summary: "Change a session",
    description:
      "Absent fields do not change. The time frames are updated; unchanged ones keep their ids and data.",
    method: "PATCH",
    path: SESSION,
    body: SessionPatch,
    success: { status: 200, schema: Session },
    failures: [400, 409],
    isHeavy: true,
    handle: ({ ctx, target, body }) => updateSession(ctx, target, body),
  });

  route(app, {
    ...sessions,
    id: "deleteSquadSession",
    summary: "Delete a session",
    description: "Also deletes its activity, its time frames and their computed data. Samples are kept.",
    method: "DELETE",
    path: SESSION,
    success: { status: 204 },
    handle: ({ ctx, ids }) => deleteSession(ctx, ids.session),
  });

  route(app, {
    ...sessions,
    id: "retrieveSessionPeriods",
    summary: "Retrieve the periods of a session",
    description:
      "Returns JSON. With `Accept: text/csv`, or at `periods.csv`, returns the `periods.csv` of `asi squad` with the names of the players.",
    method: "GET",
    path: `${SESSION}periods/`,
    query: PeriodsQuery,
    success: { status: 200, schema: SessionPeriods, otherMediaTypes: [CSV] },
    failures: [400, 409],
    isHeavy: true,
    async handle({ ctx, target, query, request }) {
      if (!prefersCsv(request)) return retrievePeriods(ctx, target);
      const { csv, etag } = await retrievePeriodsCsv(ctx, target, query.tz);
      return { resource: new TypedText(CSV, csv), etag };
    },
  });

  route(app, {
    ...sessions,
    id: "replaceSessionPeriods",
    summary: "Replace the periods of a session",
    description:
      "Replaces all of them. A row without an athlete is the time of the period; rows with an athlete replace it for this athlete: several rows for an athlete who leaves and returns, one without times for an athlete who does not take part. A period can be within another period, but must not overlap others in any other way. `text/csv` is `periods.csv` of `asi squad`, with the names of the players.",
    method: "PUT",
    path: `${SESSION}periods/`,
    query: PeriodsQuery,
    body: SessionPeriodsInput,
    success: { status: 200, schema: SessionPeriods },
    failures: [400, 409],
    isHeavy: true,
    csv: {
      example: "period,start,end,player\n1st half,14:30,15:16,\n1st half,-,-,Bea Bell\n",
      handle: ({ ctx, target, query, csv }) => replacePeriodsByCsv(ctx, target, csv, query.tz),
    },
    handle: ({ ctx, target, body }) => replacePeriods(ctx, target, body),
  });

  route(app, {
    ...sessions,
    id: "copySessionPeriods",
    summary: "Copy the periods of another session",
    description:
      "Replaces all periods with those of the other session, at the same times after the start. Rows of athletes who are not in the session are omitted. Returns 400 if a period would end after the session.",
    method: "POST",
    path: `${SESSION}periods/copy/`,
    body: PeriodsCopy,
    success: { status: 200, schema: CopiedPeriods },
    failures: [400, 409],
    isHeavy: true,
    handle: ({ ctx, target, body }) => copyPeriods(ctx, target, body),
  });

  route(app, {
    ...sessions,
    id: "retrieveSessionFigures",
    summary: "Retrieve the table of a session",
    description:
      "Returns a row for each player and period, with the figures that `asi squad` computes from the same samples. `Accept` or the extension (`figures.csv`, `figures.parquet`, `figures.xlsx`) selects CSV, Parquet or a workbook with a sheet for each period. Stale figures are computed again first. Contains only rows whose samples the owner of the session can read, and heart data only if your role includes it.",
    method: "GET",
    path: `${SESSION}figures/`,
    query: FiguresQuery,
    success: { status: 200, schema: SessionFigures, otherMediaTypes: [CSV, PARQUET_TYPE, XLSX_TYPE] },
    failures: [400, 409],
    isHeavy: true,
    hasLargeResponse: true,
    async handle({ ctx, target, query, request }) {
      const type = preferredOf(request, [CSV, PARQUET_TYPE, XLSX_TYPE]);
      const isFile = type === CSV || type === PARQUET_TYPE || type === XLSX_TYPE;
      const { wait, tz: _, ...wanted } = query;
      const table = await sessionTable(ctx, target, { waitS: isFile ? undefined : wait, wanted });
      const name = `session-${target.id}`;
      if (type === CSV) {
        const { csv, etag } = await tableAsCsv(ctx, table, query.tz);
        return { resource: new TypedText(CSV, csv), etag };
      }
      if (type === PARQUET_TYPE) {
        const { bytes, etag } = await tableAsParquet(ctx, table, query.tz);
        return { resource: new TypedFile(PARQUET_TYPE, `${name}.parquet`, bytes), etag };
      }
      if (type === XLSX_TYPE) {
        const { bytes, etag } = await tableAsWorkbook(ctx, table, query.tz);
        return { resource: new TypedFile(XLSX_TYPE, `${name}.xlsx`, bytes), etag };
      }
      return { resource: tableAsJson(table), etag: table.etag };
    },
  });

  route(app, {
    ...sessions,
    id: "retrieveSquadSeason",
    summary: "Retrieve the season of a squad",
    description:
      "Returns the stored figures of each player in each whole session, of at most the 400 latest sessions (fewer if they have more than 15,000 time frames together, or more than 64 MiB of stored figures), with the normal range of the player. Nothing is computed; a session lists the players whose figures are missing.",
    method: "GET",
    path: "/api/v2/squads/{squad}/season/",
    query: SeasonQuery,
    success: { status: 200, schema: Season },
    failures: [400],
    isHeavy: true,
    hasLargeResponse: true,
    handle: ({ ctx, target, query, request }) =>
      squadSeason(ctx, target, query, (etag) => isNotModified(request, etag)),
  });
}
