import { type Signal, useComputed } from "@preact/signals";
import { recordedTimeMs } from "asi-convert/squad";
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useRef } from "preact/hooks";
import { useSize } from "../view/element-size.js";
import { timeOfDay } from "../view/times.js";
import { type ColumnChoice, underHead } from "./columns.js";
import { FigureCell } from "./figure-cell.js";
import { captionOf, playersText } from "./scope-words.js";
import { orderOf, sortColumn } from "./shown-order.js";
import type { PlayerRow, SquadSession } from "./squad-session.js";
import { Head, NameCell, SummaryRow } from "./squad-table-cells.js";
import { type Against, tableModel } from "./table-model.js";

/** A column after the figures, such as the clock. */
export interface LastColumn {
  head: ComponentChildren;
  cell: (row: PlayerRow) => ComponentChildren;
  foot: ComponentChildren;
  /** Required height of the header, CSS pixels. */
  headPx: number;
  /** Content drawn over the column. */
  over: ComponentChildren;
}

interface Props {
  session: SquadSession;
  columns: ColumnChoice;
  against: Signal<Against>;
  /** Opens the card of a row beside the clicked element. */
  onCard: (row: PlayerRow, beside: HTMLElement) => void;
  last?: LastColumn | undefined;
  /** A column that replaces the figures, or null for names only. */
  instead?: InsteadColumn | null | undefined;
}

/** A column that replaces the figures. */
export interface InsteadColumn {
  name: string;
  unit: string;
  /** The cell, a `td`. */
  cell: (row: PlayerRow) => ComponentChildren;
}

const HEAD_PX = 48;
const FOOT_ROWS = 2;
/** Rows share the height of the window within these limits. They may be slightly higher in order to fill the frame. */
const ROW_PX = { least: 24, most: 32, mostToFill: 35 };

/** The table of the squad. It scrolls in its own frame, with a sticky header, footer and column of names. */
export function SquadTable({ session, columns: choice, against, onCard, last, instead }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const model = useComputed(() => {
    const order = orderOf(session);
    const columns = choice.shown(order);
    const { rows } = session.figures.value;
    const form = {
      ...order,
      columns,
      isByPosition: session.isByPosition.value,
      against: against.value,
    };
    return { columns, rows, table: tableModel(rows, form) };
  });
  const { columns, rows, table } = model.value;
  // a period without data has the thresholds of the previous table
  const withFigures = useRef(rows);
  if (rows.some(({ metrics }) => metrics !== null)) withFigures.current = rows;
  const areFiguresShown = instead === undefined;
  const textsOf = (texts: readonly string[]) => (areFiguresShown ? texts : instead === null ? [] : [""]);
  const rowCount =
    table.groups.reduce((sum, { name, lines }) => sum + lines.length + Number(name !== null), 0) +
    (areFiguresShown ? FOOT_ROWS : 0);
  const sharePx = (size.value.height - (last?.headPx ?? HEAD_PX) - 2) / Math.max(1, rowCount);
  const rowPx = Math.min(ROW_PX.most, Math.max(ROW_PX.least, Math.floor(sharePx)));
  const keys = table.groups.flatMap(({ lines }) => lines.map(({ row }) => row.member.key));
  const chosen = session.chosen.value;
  // the rows are a single stop of the Tab key
  const stop = chosen !== null && keys.includes(chosen) ? chosen : keys[0];
  const pressKey = (event: TargetedKeyboardEvent<HTMLTableRowElement>, row: PlayerRow) => {
    const at = keys.indexOf(row.member.key);
    const next = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: keys.length - 1 }[event.key];
    if (next !== undefined) {
      const to = Math.min(keys.length - 1, Math.max(0, next));
      session.chosen.value = keys[to] ?? null;
      frame.current?.querySelectorAll<HTMLElement>("tr[tabindex]").item(to).focus();
    } else if (event.key === "m" || event.key === "M")
      onCard(row, event.currentTarget.cells[0] ?? event.currentTarget);
    else if (event.key === "Enter" && event.target === event.currentTarget) session.openPlayer(row.member);
    else return;
    event.preventDefault();
  };
  const present = rows.filter(({ metrics }) => metrics !== null).length;
  return (
    <section
      ref={frame}
      class="squad-frame"
      aria-label="Figures of the squad"
      tabIndex={-1}
      style={{ "--row": `${rowPx}px` }}
      data-fills={sharePx >= ROW_PX.least && sharePx <= ROW_PX.mostToFill}
    >
      <table class="squad-table">
        <caption class="for-readers">
          {captionOf(session.figures.value.scope)}, {sortWords(session)}, {present} of{" "}
          {playersText(rows.map(({ member }) => member))} with data
        </caption>
        <thead>
          <tr>
            <th scope="col" class="name">
              <button
                type="button"
                onClick={() => (session.sort.value = { key: "roster", isAscending: false })}
              >
                Player
              </button>
              <small>
                {present === rows.length ? rows.length : `${rows.length}, ${present} in this period`}
              </small>
            </th>
            {(areFiguresShown ? columns : []).map((column) => (
              <Head
                key={column.key}
                column={column}
                session={session}
                under={underHead(column, withFigures.current, session.isPerMinute.value)}
              />
            ))}
            {instead && (
              <th scope="col" class="instead">
                {instead.name}
                <small>{instead.unit}</small>
              </th>
            )}
            {last && (
              <th scope="col" class="last">
                {last.head}
              </th>
            )}
          </tr>
        </thead>
        {table.groups.map((group) => (
          <tbody key={group.name}>
            {group.name === null ? null : (
              <SummaryRow
                kind="mean"
                name={group.name}
                note={` mean of ${group.count}`}
                texts={textsOf(group.means)}
              >
                {last && <td class="last" />}
              </SummaryRow>
            )}
            {group.lines.map(({ row, cells }) => (
              <tr
                key={row.member.key}
                class={row.metrics === null ? "absent" : ""}
                aria-current={session.chosen.value === row.member.key}
                tabIndex={row.member.key === stop ? 0 : -1}
                onClick={() => {
                  session.chosen.value = row.member.key;
                }}
                onKeyDown={(event) => pressKey(event, row)}
              >
                <NameCell session={session} row={row} onCard={onCard} />
                {(areFiguresShown ? cells : []).map((cell, i) => (
                  <FigureCell key={columns[i]?.key} cell={cell} />
                ))}
                {instead?.cell(row)}
                {last && <td class="last">{last.cell(row)}</td>}
              </tr>
            ))}
          </tbody>
        ))}
        {areFiguresShown && (
          <tfoot>
            <SummaryRow name="Mean" note={` of ${table.count}, ${wholeOf(session)}`} texts={table.means}>
              {last && (
                <td class="last" rowSpan={2}>
                  {last.foot}
                </td>
              )}
            </SummaryRow>
            <SummaryRow name="Highest" note="" texts={table.highest} />
          </tfoot>
        )}
      </table>
      <p class="for-readers" role="status">
        {sortWords(session)}
      </p>
      {areFiguresShown && rows.length > 0 && !session.isReading.value && rows.every(hasNoData) && (
        <p class="squad-empty">{noDataText(session)}</p>
      )}
      {last?.over}
    </section>
  );
}

const hasNoData = ({ metrics }: PlayerRow) => metrics === null || recordedTimeMs(metrics) === 0;

/** Explains that a scope has no data, such as `No player has data in “Drill 3”, 17:05:00 to 17:20:00. The recordings end at 16:56:08.` */
function noDataText({ figures, periods, interval, settings }: SquadSession): string {
  const { scope } = figures.value;
  const name = captionOf(scope);
  const of = scope.kind === "brush" ? scope.interval : periods.value.find((one) => one.name === name)?.all;
  const clock = (ms: number) => timeOfDay(ms, settings.zone.value);
  const times = of == null ? "" : `, ${clock(of.startMs)} to ${clock(of.endMs)}`;
  const { startMs = 0, endMs = 0 } = interval.value ?? {};
  const isBefore = of != null && of.endMs <= startMs;
  return `No player has data in “${name}”${times}. The recordings ${isBefore ? `begin at ${clock(startMs)}` : `end at ${clock(endMs)}`}.`;
}

/** Describes the order, such as `Sorted by distance, descending`. */
function sortWords(session: SquadSession): string {
  const order = orderOf(session);
  const column = sortColumn(order);
  if (column === undefined) return "in the order of the roster";
  return `Sorted by ${column.title.toLowerCase()}, ${order.sort.isAscending ? "ascending" : "descending"}`;
}

function wholeOf({ figures, isPerMinute }: SquadSession): string {
  if (isPerMinute.value) return "at least 10 min";
  const { scope } = figures.value;
  return `whole ${scope.kind === "brush" ? "selection" : scope.kind}`;
}
