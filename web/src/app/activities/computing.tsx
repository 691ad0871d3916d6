import type { ComputedState } from "./use-computed.js";

interface Props {
  states: readonly ComputedState[];
  /** Requests all data again. */
  onAgain: () => void;
}

/** Progress of the computation, and a button that loads newer data. */
export function Computing({ states, onAgain }: Props) {
  const ready = states.filter(({ isWaiting }) => !isWaiting).length;
  const isStale = states.some(
    ({ computed, isWaiting, error }) => computed !== null && (isWaiting || error !== null),
  );
  const failed = states.filter(({ error }) => error !== null).length;
  return (
    <div class="computing">
      <p role="status">
        {ready < states.length
          ? `Computing: ${ready} of ${states.length} ready.${isStale ? " These are the figures from before the change." : ""}`
          : failed > 0
            ? `${failed} of ${states.length} could not be computed.`
            : null}
      </p>
      {ready < states.length ? (
        <progress aria-label="Computing" max={states.length} {...(ready === 0 ? {} : { value: ready })} />
      ) : (
        <button type="button" onClick={onAgain}>
          Look for newer data
        </button>
      )}
    </div>
  );
}
