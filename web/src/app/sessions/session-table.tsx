import { ApiError, type Client, fileNameOf, type Resource } from "asi-client";
import { offerFile } from "../../parts/offer-file.js";
import { useKept } from "../../view/kept-state.js";
import type { Zone } from "../../view/settings.js";
import { zoneName } from "../../view/times.js";
import { NO_VALUE } from "../../view/values.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { ChosenTable } from "../parts/chosen-table.js";
import { Nothing } from "../parts/nothing.js";
import {
  cellText,
  figureName,
  marksOf,
  SQUAD_COLUMNS,
  type SquadColumn,
  unreachableText,
} from "../season/chart.js";
import "../squads/squads.css";

type Figures = Resource["SessionFigures"];
type Row = Figures["rows"][number];

const FILES = [
  ["text/csv", "CSV", "csv"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "Excel (.xlsx)", "xlsx"],
] as const;

const figureIn = ({ figures }: Row, { key }: SquadColumn): number | null =>
  (figures as Readonly<Record<string, number | null | undefined>>)[key] ?? null;

/** Returns the limitations of a row, in the words of `asi squad`. */
function qualityOf(row: Row): string {
  const marks = marksOf({
    // the service keeps samples, not recordings
    member: { recordings: [], leftOut: row.left_out_devices },
    coverage: row.share_with_data,
    hrCoverage: row.share_with_hr ?? null,
    metrics: { too_fast: { samples: row.too_fast_rows ?? 0 } },
  });
  const unreachable = row.definition && unreachableText({ definition: row.definition });
  return [...marks, ...(unreachable ? [unreachable] : [])].join(", ") || NO_VALUE;
}

interface Props {
  client: Client;
  figures: Figures;
  zone: Zone;
}

/** The table of a session from the service, for users who cannot read its recordings. */
export function SessionTable({ client, figures, zone }: Props) {
  const problem = useProblem();
  const [chosen, setChosen] = useKept<string | null>("period", null);
  const periods = [...new Set(figures.rows.map((row) => row.period))];
  // the table may have been replaced in the meantime
  const period = periods.includes(chosen) ? chosen : null;
  const rows = figures.rows.filter((row) => row.period === period);
  const columns = SQUAD_COLUMNS.filter((column) =>
    figures.rows.some((row) => figureIn(row, column) !== null),
  );
  const save = async (type: string, extension: string) => {
    const { data, error, response } = await client.GET("/api/v2/sessions/{session}/figures/", {
      params: { path: { session: figures.session }, query: { tz: zoneName(zone) } },
      headers: { Accept: type },
      parseAs: "blob",
    });
    if (data === undefined) throw new ApiError(response, error);
    offerFile(data as Blob, fileNameOf(response) ?? `session-${figures.session}.${extension}`);
    return "The table is saved.";
  };
  return (
    <>
      <ProblemOf problem={problem} />
      <ChosenTable
        what="players"
        rows={rows}
        keyOf={({ athlete }) => athlete}
        nameOf={({ player }) => player}
        controls={
          <>
            {periods.length < 2 ? null : (
              <label>
                Period{" "}
                <select
                  value={period ?? ""}
                  onChange={({ currentTarget }) => setChosen(currentTarget.value || null)}
                >
                  {periods.map((name) => (
                    <option key={name} value={name ?? ""}>
                      {name ?? "Whole session"}
                    </option>
                  ))}
                </select>
              </label>
            )}
            {FILES.map(([type, name, extension]) => (
              <Action
                key={extension}
                problem={problem}
                failed="The table was not saved."
                busy="Saving…"
                work={() => save(type, extension)}
              >
                {name}
              </Action>
            ))}
            <button type="button" onClick={() => print()}>
              Print
            </button>
          </>
        }
        columns={[
          { name: "Player", of: ({ player }) => player, sortBy: ({ player }) => player },
          {
            name: "Number",
            of: ({ number }) => number ?? NO_VALUE,
            sortBy: ({ number }) => (number === null ? null : Number(number)),
          },
          {
            name: "Position",
            of: ({ position }) => position ?? NO_VALUE,
            sortBy: ({ position }) => position,
          },
          ...columns.map((column) => ({
            name: figureName(column),
            of: (row: Row) =>
              cellText(column, figureIn(row, column), {
                coverage: row.share_with_data,
                hrCoverage: row.share_with_hr ?? null,
              }),
            sortBy: (row: Row) => figureIn(row, column),
          })),
          { name: "Quality", of: qualityOf },
        ]}
        empty={
          <Nothing
            title={
              figures.computing.length > 0
                ? "The figures are being computed."
                : "No player has data in this session."
            }
          />
        }
      />
      {figures.match_note && <p class="note">{figures.match_note}</p>}
    </>
  );
}
