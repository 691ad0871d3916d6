/** The reason for missing figures. Renders nothing if there are figures. */
export function NoFigures({ problem }: { problem: string | null }) {
  return problem === null ? null : <p class="bad">There are no figures: {problem}</p>;
}
