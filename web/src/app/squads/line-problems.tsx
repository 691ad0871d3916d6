import type { LineProblem } from "./roster-file.js";

/** The lines of a file that the service has refused. Renders nothing if there are none. */
export function LineProblems({ lines }: { lines: readonly LineProblem[] }) {
  if (lines.length === 0) return null;
  return (
    <ul class="line-problems">
      {lines.map(({ place, detail }) => (
        <li key={`${place} ${detail}`}>
          {place === "" ? "" : <b>{place.replace(/^line/, "Line")}: </b>}
          {detail}
        </li>
      ))}
    </ul>
  );
}
