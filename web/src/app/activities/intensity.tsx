import type { Zone } from "../../view/settings.js";
import { duration, timeOfDay } from "../../view/times.js";
import { decimal } from "../../view/values.js";
import type { Computed } from "./computed.js";
import { slicesOf } from "./slices.js";

/** Distance in each slice of the time frame as columns, with a table below. */
export function Intensity({ computed, zone }: { computed: Computed; zone: Zone }) {
  const { span } = computed.intensity;
  const slices = slicesOf(computed.intensity);
  const [first, last] = [slices[0], slices.at(-1)];
  if (first === undefined || last === undefined) return null;
  // a part of a second counts as a second
  const rest = duration(Math.ceil(last.seconds) * 1000);
  const time = (ms: number) => timeOfDay(ms, zone).slice(0, 5);
  const highest = Math.max(...slices.map(({ metres }) => metres));
  return (
    <figure class="bars">
      <figcaption>
        Distance per {spanText(span)}
        <span class="unit">, m</span>
      </figcaption>
      <div class="slices" aria-hidden="true">
        {slices.map(({ startMs, seconds, metres, height }) => (
          <i
            key={startMs}
            style={{ flexGrow: seconds / first.seconds, height: `${height * 100}%` }}
            title={`${time(startMs)}: ${decimal(metres, 0)} m`}
          />
        ))}
      </div>
      <div class="slices-axis" aria-hidden="true">
        <span>{time(first.startMs)}</span>
        <span>highest {decimal(highest, 0)} m</span>
        <span>{time(last.startMs + last.seconds * 1000)}</span>
      </div>
      {last.seconds < first.seconds ? (
        <p class="note">
          The last column is only {rest}. Its height is extrapolated to a whole column at the same pace.
        </p>
      ) : null}
      <details>
        <summary>As a table</summary>
        <div class="scrolled-x">
          <table>
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">Distance, m</th>
              </tr>
            </thead>
            <tbody>
              {slices.map(({ startMs, seconds, metres }) => (
                <tr key={startMs}>
                  <th scope="row">
                    {time(startMs)}
                    {seconds < span ? `, for ${rest}` : null}
                  </th>
                  <td>{decimal(metres, 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function spanText(seconds: number): string {
  if (seconds === 60) return "minute";
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
