import type { Cell, Shade } from "./table-model.js";

/** A figure with its shade. Screen readers read words instead of the signs. */
export function FigureCell({ cell: { text, isAtLeast, shade, outlier } }: { cell: Cell }) {
  return (
    <td class={shade === null ? "" : `as-${shade.kind}`} style={shade === null ? "" : styleOf(shade)}>
      {outlier === null ? null : (
        <>
          <span aria-hidden="true">{outlier === "above" ? "▲ " : "▼ "}</span>
          <span class="for-readers">far {outlier} the mean: </span>
        </>
      )}
      {isAtLeast ? (
        <>
          <span aria-hidden="true">≥</span>
          <span class="for-readers">at least </span>
        </>
      ) : null}
      {text}
    </td>
  );
}

function styleOf(shade: Shade): string {
  const rounded = (share: number) => Math.round(share * 1000) / 1000;
  const percent = (share: number) => `${rounded(share) * 100}%`;
  switch (shade.kind) {
    case "bar":
      return `--share:${rounded(shade.share)}`;
    case "dot":
      return `--at:${rounded(shade.at)}`;
    case "against":
      return `--from:${percent(0.5 + Math.min(0, shade.by) / 2)};--to:${percent(0.5 + Math.max(0, shade.by) / 2)}`;
  }
}
