import type { ComponentChildren } from "preact";
import { Scrolled } from "./panel.js";

/** One place of a recording. */
export interface Place {
  key: string | number;
  head: string;
  cells: readonly ComponentChildren[];
  /** Shows the place in the plots. It is null if the plots do not contain the place. `label` names the button for screen readers. */
  show: { label: string; onShow: () => void } | null;
}

interface Props {
  label: string;
  heads: readonly string[];
  /** The listed places. */
  places: readonly Place[];
  /** Whether the list omits places. */
  hasMore: boolean;
}

/** Places of a recording as a table, each with a button that shows the place in the plots. */
export function PlaceList({ label, heads, places, hasMore }: Props) {
  return (
    <>
      <Scrolled label={label}>
        <table>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {places.map(({ key, head, cells, show }) => (
              <tr key={key}>
                <th scope="row">{head}</th>
                {cells.map((cell, i) => (
                  <td key={heads[i + 1]}>{cell}</td>
                ))}
                <td class="action">
                  {show === null ? null : (
                    <button type="button" aria-label={show.label} onClick={show.onShow}>
                      Show
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
      {hasMore ? (
        <p class="muted">{places.length === 1 ? "The first is" : `The first ${places.length} are`} listed.</p>
      ) : null}
    </>
  );
}
