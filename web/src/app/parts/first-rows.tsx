import { type ComponentChildren, options } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useKept, useKeptPlace } from "../../view/kept-state.js";

/** Number of rows that a table shows first. “Show more” adds the same number. */
const PER_PAGE = 50;

/**
 * Returns the first rows of a table with the button for further ones. Their number and the place survive "Back". Paper has all rows.
 * @param name distinguishes the tables of one view
 */
export function useFirstRows<Row>(
  rows: readonly Row[] | undefined,
  name = "rows",
): [first: readonly Row[], more: ComponentChildren] {
  const [most, setMost] = useKept(name, PER_PAGE);
  const [isPrinted, setPrinted] = useState(false);
  useKeptPlace(rows !== undefined);
  useEffect(() => {
    const change = ({ type }: Event) => {
      // Browsers do not wait, so the rows are drawn at once.
      options.debounceRendering = (draw) => draw();
      setPrinted(type === "beforeprint");
      delete options.debounceRendering;
    };
    addEventListener("beforeprint", change);
    addEventListener("afterprint", change);
    return () => {
      removeEventListener("beforeprint", change);
      removeEventListener("afterprint", change);
    };
  }, []);
  if (rows === undefined || isPrinted || rows.length <= most) return [rows ?? [], null];
  return [
    rows.slice(0, most),
    <div key="more" class="more">
      <span class="muted">
        The first {most} of {rows.length}
      </span>
      <button type="button" onClick={() => setMost(most + PER_PAGE)}>
        Show more
      </button>
    </div>,
  ];
}
