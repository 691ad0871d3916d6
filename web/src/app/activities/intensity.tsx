import type { Zone } from "../../view/settings.js";
import { timeOfDay } from "../../view/times.js";
import { decimal } from "../../view/values.js";
import type { Computed } from "./computed.js";

/** Distance in each slice of the time frame as columns, and behind them their table. */
export function Intensity({ computed, zone }: { computed: Computed; zone: Zone }) {
  const { distance, span, start_time } = computed.intensity;
  if (distance.length === 0 || start_time === null) return null;
  const highest = Math.max(1, ...distance);
  const time = (i: number) => timeOfDay(start_time + i * span * 1000, zone).slice(0, 5);
  return (
    <figure class="bars">
      <figcaption>
        Distance per {spanText(span)}
        <span class="unit">, m</span>
      </figcaption>
      <div class="slices" aria-hidden="true">
        {distance.map((metres, i) => (
          <i
            key={i}
            style={{ height: `${(metres / highest) * 100}%` }}
            title={`${time(i)}: ${decimal(metres, 0)} m`}
          />
        ))}
      </div>
      <div class="slices-axis" aria-hidden="true">
        <span>{time(0)}</span>
        <span>highest {decimal(highest, 0)} m</span>
        <span>{time(distance.length)}</span>
      </div>
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
              {distance.map((metres, i) => (
                <tr key={i}>
                  <th scope="row">{time(i)}</th>
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
