import type { MarkKind } from "./marks.js";

const PATHS: Record<MarkKind, string> = {
  damaged: "M6 1.2 11.3 10.8H.7zM6 4.6v3M6 8.9v.6",
  failed: "M6 1.2 11.3 10.8H.7zM6 4.6v3M6 8.9v.6",
  share: "M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1zM6 1v5h5",
  clock: "M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1zM6 3.4V6l1.8 1.2",
  joined: "M1 4h3.6v4H1zM7.4 4H11v4H7.4zM4.6 6h2.8",
  sport: "M1 8.5 5 4l2.5 2.5L11 3M8.2 3H11v2.8",
};

/** A sign of 12 px for a limitation of a row. Screen readers read the `words` of the mark. */
export function MarkSign({ kind }: { kind: MarkKind }) {
  return (
    <svg class="mark-sign" viewBox="0 0 12 12" aria-hidden="true">
      <path d={PATHS[kind]} />
    </svg>
  );
}
