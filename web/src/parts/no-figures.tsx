/** Why there are no figures; nothing if there are. */
export function NoFigures({ problem }: { problem: string | null }) {
  return problem === null ? null : <p class="bad">There are no figures: {problem}</p>;
}
