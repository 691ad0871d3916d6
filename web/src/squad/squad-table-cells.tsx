import type { SquadColumn } from "asi-convert/squad";
import type { ComponentChildren } from "preact";
import { headOf, widthOf } from "./columns.js";
import { MarkSign } from "./mark-sign.js";
import { marksOf } from "./marks.js";
import type { PlayerRow, SquadSession } from "./squad-session.js";

/** The number, name and position of a player, with a mark if the row has a problem. */
export function NameCell({
  session,
  row,
  onCard,
}: {
  session: SquadSession;
  row: PlayerRow;
  onCard: (row: PlayerRow, beside: HTMLElement) => void;
}) {
  const { member } = row;
  const [mark] = marksOf(row, session.ofAnotherSport.value.has(member.key));
  return (
    <th scope="row" class="name">
      <div class="name-parts">
        <span class="number">{member.player?.number}</span>
        <button type="button" class="player" tabIndex={-1} onClick={() => session.openPlayer(member)}>
          {member.name}
        </button>
        <span class="position">{member.player?.position}</span>
        {mark === undefined ? null : (
          <button
            type="button"
            class={`quality ${mark.kind}`}
            tabIndex={-1}
            title={mark.words}
            onClick={({ currentTarget }) => onCard(row, currentTarget)}
          >
            <MarkSign kind={mark.kind} />
            <span aria-hidden="true">{mark.text}</span>
            <span class="for-readers">{mark.words}</span>
          </button>
        )}
      </div>
    </th>
  );
}

/** A column header that sorts the table. @param under small text below the title */
export function Head({
  column,
  session,
  under,
}: {
  column: SquadColumn;
  session: SquadSession;
  under: string;
}) {
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
      style={{ width: `${widthOf(column, session.isPerMinute.value)}px` }}
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

/** Means. The number of players is in small type, because columns are narrow. */
function Means({ texts }: { texts: readonly string[] }) {
  return texts.map((text, i) => {
    const [value, count] = text.split(" of ");
    return (
      <td key={i} title={text}>
        {value}
        {count === undefined ? null : <small> of {count}</small>}
      </td>
    );
  });
}

/** A row with means or highest values. */
export function SummaryRow({
  kind,
  name,
  note,
  texts,
  children,
}: {
  kind?: "mean";
  name: string;
  note: string;
  texts: readonly string[];
  children?: ComponentChildren;
}) {
  return (
    <tr class={kind}>
      <th scope="row" class="name">
        {name}
        <small>{note}</small>
      </th>
      <Means texts={texts} />
      {children}
    </tr>
  );
}
