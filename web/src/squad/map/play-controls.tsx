import { playbackOf, SPEEDS } from "../play.js";
import type { SquadSession } from "../squad-session.js";

/** Controls for playback and its speed. */
export function PlayControls({ session }: { session: SquadSession }) {
  const playback = playbackOf(session);
  const isPlaying = playback.isPlaying.value;
  return (
    <>
      <button
        type="button"
        class="play"
        aria-label={isPlaying ? "Pause" : "Play"}
        onClick={() => playback.toggle()}
      >
        <svg aria-hidden="true" viewBox="0 0 12 12">
          <path d={isPlaying ? "M2 1h3v10H2zM7 1h3v10H7z" : "M2 1l9 5-9 5z"} />
        </svg>
      </button>
      <fieldset class="segmented speeds" aria-label="Speed of play">
        {SPEEDS.map((speed) => (
          <button
            type="button"
            key={speed}
            aria-pressed={playback.speed.value === speed}
            onClick={() => {
              playback.speed.value = speed;
            }}
          >
            {speed}×
          </button>
        ))}
      </fieldset>
      <select
        class="speed"
        aria-label="Speed of play"
        value={playback.speed.value}
        onChange={({ currentTarget }) => {
          playback.speed.value = SPEEDS.find((speed) => speed === Number(currentTarget.value)) ?? 10;
        }}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={speed}>
            {speed}×
          </option>
        ))}
      </select>
    </>
  );
}
