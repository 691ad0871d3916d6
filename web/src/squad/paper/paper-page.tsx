import {
  byPosition,
  cellText,
  figureOf,
  type Interval,
  instantFormat,
  marksOf,
  offsetIn,
  type SquadColumn,
  type SquadRow,
  summaryOf,
  unitText,
  wholeRows,
} from "asi-convert/squad";
import {
  DOT_COLUMNS,
  definitions,
  dotPicture,
  meanText,
  notesOf,
  recipeText,
  recordingsInWords,
  reportColumns,
  SPEED_LEGEND,
  STRIP_COLUMNS,
  speedColumns,
  speedStrip,
  stripTimes,
  tableNote,
} from "asi-convert/squad-report";
import { zoneName } from "../../view/times.js";
import { onPaper } from "../recipes/on-paper.js";
import { captionOf } from "../scope-words.js";
import { inShownOrder, orderOf } from "../shown-order.js";
import type { SquadSession } from "../squad-session.js";
import "./paper-page.css";

const SVG_STYLE =
  "<style>text{font:9px sans-serif;fill:#5b6475}g text{font-size:7.5px;fill:#0f172a;text-anchor:middle}circle{fill:#fff;stroke:#2f6fd0}circle.whole{fill:#c6d9f3}.grid{stroke:#e5e7eb;fill:none}</style>";

/** Returns a picture of the report as a data URL, because the policy of the page forbids inserted markup. */
const addressOf = (svg: string) =>
  `data:image/svg+xml,${encodeURIComponent(svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"').replace(">", `>${SVG_STYLE}`))}`;

/** The first page of the report. Contains the table, problems in words, and six figures of all players. */
export function PaperPage({ session }: { session: SquadSession }) {
  const { scope, counts, rows: all } = session.figures.peek();
  const chosen = session.recipes.peek();
  // the rows have no counts while recipes are being counted
  const { recipes, optionalColumns } = onPaper(
    counts === chosen.columns ? chosen : { named: [], columns: [] },
  );
  const columns = [...reportColumns(recipes), ...optionalColumns];
  const rows = inShownOrder(all, orderOf(session));
  const groups = session.isByPosition.peek() ? byPosition(rows) : [{ name: null, rows }];
  const whole: ReadonlySet<SquadRow> = wholeRows(rows);
  const countOf = (some: readonly SquadRow[]) => some.filter((row) => whole.has(row)).length;
  const highest = columns.map((column) => summaryOf(rows, column, whole).highest ?? 0);
  const words = [
    definitions(rows, session.zones.peek() ?? undefined),
    ...recipes.map(recipeText),
    ...notesOf(optionalColumns),
  ].join(" ");
  const note = scope.kind === "match" ? tableNote(session.periods.peek()) : null;
  const interval = session.interval.peek();
  const zone = zoneName(session.settings.zone.peek());
  const offsetMs = interval === null ? 0 : offsetIn(zone, interval.startMs);
  const times = interval === null ? [] : stripTimes(interval, offsetMs);
  return (
    <>
      <h2>
        {captionOf(scope)} <small>{interval === null ? "" : recordedText(interval, zone)}</small>
      </h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Player</th>
            {columns.map((column) => (
              <th key={column.key} scope="col" class="figure">
                {column.head}
                <small>{unitText(column, rows)}</small>
              </th>
            ))}
            <th scope="col" class="strip">
              Speed
              <small class="strip-times">
                {times.map(({ share, text }) => (
                  <span key={text} style={{ left: `${share * 100}%` }}>
                    {text}
                  </span>
                ))}
              </small>
            </th>
          </tr>
        </thead>
        {groups.map(({ name, rows: own }) => (
          <tbody key={name}>
            {name === null ? null : (
              <Mean label={`${name} mean of ${countOf(own)}`} columns={columns} rows={own} whole={whole} />
            )}
            {own.map((row) => (
              <PlayerLine
                key={row.member.name}
                session={session}
                row={row}
                columns={columns}
                highest={highest}
              />
            ))}
          </tbody>
        ))}
        <tfoot>
          <Mean
            label={`Mean of ${whole.size} who play at least 90 %`}
            columns={columns}
            rows={rows}
            whole={whole}
          />
        </tfoot>
      </table>
      <p class="strip-legend">
        <small>
          Mean speed in the strips: {SPEED_LEGEND.from} <img src={addressOf(SPEED_LEGEND.picture)} alt="" />{" "}
          {SPEED_LEGEND.to}
        </small>
      </p>
      {note === null ? null : <p class="note">{note}</p>}
      <p class="note">{recordingsInWords(rows, offsetMs)}</p>
      <p class="muted">Each dot is a player. Players with a filled dot play at least 90 %.</p>
      <div class="six">
        {DOT_COLUMNS.map((column) => (
          <Dots key={column.key} rows={rows} column={column} />
        ))}
      </div>
      {words === "" ? null : <p class="muted">{words}</p>}
    </>
  );
}

/** Describes the time of the recordings, such as "Recorded 14:30 to 16:52 (Europe/Zurich)". */
function recordedText({ startMs, endMs }: Interval, zone: string): string {
  const clock = instantFormat(zone);
  return `Recorded ${clock(startMs).slice(11, 16)} to ${clock(endMs).slice(11, 16)} (${zone})`;
}

interface MeanProps {
  label: string;
  columns: readonly SquadColumn[];
  rows: readonly SquadRow[];
  whole: ReadonlySet<SquadRow>;
}

function Mean({ label, columns, rows, whole }: MeanProps) {
  return (
    <tr class="mean">
      <th scope="row">{label}</th>
      {columns.map((column) => (
        <td key={column.key}>{meanText(rows, column, whole)}</td>
      ))}
      <td />
    </tr>
  );
}

interface PlayerLineProps {
  session: SquadSession;
  row: SquadRow;
  columns: readonly SquadColumn[];
  /** Maxima of all players, by column. */
  highest: readonly number[];
}

function PlayerLine({ session, row, columns, highest }: PlayerLineProps) {
  const { member, metrics } = row;
  const [mark] = marksOf(row);
  const interval = session.interval.peek();
  const limit = metrics?.definition.parameters.max_valid_speed ?? Number.POSITIVE_INFINITY;
  return (
    <tr>
      <th scope="row">
        <span class="number">{member.player?.number}</span> {member.name}{" "}
        {mark === undefined ? null : <small>{mark}</small>}
      </th>
      {columns.map((column, i) => {
        const value = figureOf(row, column);
        const share = column.kind === "sum" && value !== null ? value / Math.max(1e-9, highest[i] ?? 0) : 0;
        return (
          <td key={column.key} style={`--share:${Math.round(share * 100) / 100}`}>
            {cellText(column, value, row)}
          </td>
        );
      })}
      <td class="strip">
        {interval === null ? null : (
          <img src={addressOf(speedStrip(speedColumns(member, interval, STRIP_COLUMNS, limit), ""))} alt="" />
        )}
      </td>
    </tr>
  );
}

function Dots({ rows, column }: { rows: readonly SquadRow[]; column: SquadColumn }) {
  const picture = dotPicture(rows, column);
  if (picture === "") return null;
  return (
    <figure>
      <figcaption>
        {column.title} <small>{unitText(column, rows)}</small>
      </figcaption>
      <img src={addressOf(picture)} alt="" />
    </figure>
  );
}
