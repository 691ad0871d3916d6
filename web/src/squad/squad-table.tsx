import { useComputed, useSignal } from "@preact/signals";
import type { SquadColumn } from "asi-convert/squad";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useSize } from "../view/element-size.js";
import { type ColumnChoice, headOf, underHead, widthOf } from "./columns.js";
import { FigureCell } from "./figure-cell.js";
import type { PlayerRow, SquadSession } from "./squad-session.js";
import { type Group, tableModel } from "./table-model.js";

/** A column after the figures, such as the clock. */
export interface LastColumn {
  head: ComponentChildren;
  cell: (row: PlayerRow) => ComponentChildren;
  foot: ComponentChildren;
  /** Height that its head needs, CSS pixels. */
  headPx: number;
  /** What lies over the column. */
  over: ComponentChildren;
}

interface Props {
  session: SquadSession;
  columns: ColumnChoice;
  last?: LastColumn;
}

const HEAD_PX = 48;
const FOOT_ROWS = 2;
/** Rows share the height of the window within these limits. */
const ROW_PX = { least: 24, most: 32 };

/** The table of the squad: it scrolls in its own frame; head, foot and names stay in view. */
export function SquadTable({ session, columns: choice, last }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const against = useSignal<"column" | "position">("column");
  const model = useComputed(() => {
    const isPerMinute = session.isPerMinute.value;
    const columns = choice.shown(isPerMinute);
    const { rows } = session.figures.value;
    const form = {
      columns,
      sort: session.isReading.value ? { key: "roster", isAscending: false } : session.sort.value,
      isPerMinute,
      isByPosition: session.isByPosition.value,
      against: against.value,
    };
    return { columns, rows, table: tableModel(rows, form) };
  });
  const { columns, rows, table } = model.value;
  const rowCount =
    table.groups.reduce((sum, { name, lines }) => sum + lines.length + Number(name !== null), 0) + FOOT_ROWS;
  const rowPx = Math.min(
    ROW_PX.most,
    Math.max(
      ROW_PX.least,
      Math.floor((size.value.height - (last?.headPx ?? HEAD_PX) - 2) / Math.max(1, rowCount)),
    ),
  );
  const present = rows.filter(({ metrics }) => metrics !== null).length;
  return (
    <section
      ref={frame}
      class="squad-frame"
      aria-label="Figures of the squad"
      tabIndex={-1}
      style={{ "--row": `${rowPx}px` }}
    >
      <table class="squad-table">
        <caption class="for-readers">
          {captionOf(session)}, {present} of {rows.length} players with data
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
            {columns.map((column) => (
              <Head key={column.key} column={column} session={session} under={underHead(column, rows)} />
            ))}
            {last === undefined ? null : (
              <th scope="col" class="last">
                {last.head}
              </th>
            )}
          </tr>
        </thead>
        {table.groups.map((group) => (
          <tbody key={group.name}>
            {group.name === null ? null : <GroupRow group={group} hasLast={last !== undefined} />}
            {group.lines.map(({ row, cells }) => (
              <tr
                key={row.member.key}
                class={row.metrics === null ? "absent" : ""}
                aria-current={session.chosen.value === row.member.key}
                onClick={() => {
                  session.chosen.value = row.member.key;
                }}
              >
                <th scope="row" class="name">
                  <span class="number">{row.member.player?.number}</span>
                  <button
                    type="button"
                    class="player"
                    tabIndex={-1}
                    onClick={() => session.openPlayer(row.member)}
                  >
                    {row.member.name}
                  </button>
                  <span class="position">{row.member.player?.position}</span>
                </th>
                {cells.map((cell, i) => (
                  <FigureCell key={columns[i]?.key} cell={cell} />
                ))}
                {last === undefined ? null : <td class="last">{last.cell(row)}</td>}
              </tr>
            ))}
          </tbody>
        ))}
        <tfoot>
          <SummaryRow name="Mean" note={` of ${table.count}, ${wholeOf(session)}`} texts={table.means}>
            {last === undefined ? null : (
              <td class="last" rowSpan={2}>
                {last.foot}
              </td>
            )}
          </SummaryRow>
          <SummaryRow name="Highest" note="" texts={table.highest} />
        </tfoot>
      </table>
      {last?.over}
    </section>
  );
}

function captionOf({ figures }: SquadSession): string {
  const { scope } = figures.value;
  switch (scope.kind) {
    case "session":
      return "Session";
    case "match":
      return "Match";
    case "period":
      return scope.name;
    case "brush":
      return "Selection";
  }
}

function wholeOf({ figures, isPerMinute }: SquadSession): string {
  if (isPerMinute.value) return "at least 10 min";
  const { scope } = figures.value;
  return `whole ${scope.kind === "brush" ? "selection" : scope.kind}`;
}

function Head({ column, session, under }: { column: SquadColumn; session: SquadSession; under: string }) {
  const { key, isAscending } = session.sort.value;
  const isSorted = key === column.key && !session.isReading.value;
  const press = () => {
    if (key !== column.key) session.sort.value = { key: column.key, isAscending: false };
    else if (!isAscending) session.sort.value = { key, isAscending: true };
    else session.sort.value = { key: "roster", isAscending: false };
  };
  return (
    <th
      scope="col"
      style={{ width: `${widthOf(column)}px` }}
      {...(isSorted ? { "aria-sort": isAscending ? "ascending" : "descending" } : {})}
    >
      <button type="button" onClick={press} title={column.title}>
        {headOf(column)}
        {isSorted ? <span aria-hidden="true">{isAscending ? " ▴" : " ▾"}</span> : null}
      </button>
      <small>{under}</small>
    </th>
  );
}

function GroupRow({ group, hasLast }: { group: Group; hasLast: boolean }) {
  return (
    <tr class="mean">
      <th scope="row" class="name">
        {group.name} <small>mean of {group.count}</small>
      </th>
      {group.means.map((text, i) => (
        <td key={i}>{text}</td>
      ))}
      {hasLast ? <td class="last" /> : null}
    </tr>
  );
}

function SummaryRow({
  name,
  note,
  texts,
  children,
}: {
  name: string;
  note: string;
  texts: readonly string[];
  children?: ComponentChildren;
}) {
  return (
    <tr>
      <th scope="row" class="name">
        {name}
        <small>{note}</small>
      </th>
      {texts.map((text, i) => (
        <td key={i}>{text}</td>
      ))}
      {children}
    </tr>
  );
}
