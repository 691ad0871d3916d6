import { bandLabel } from "../../parts/speed-labels.js";
import { duration } from "../../view/times.js";
import { percent, type SpeedUnit } from "../../view/values.js";
import type { Computed } from "./computed.js";

interface Props {
  rows: readonly { key: number; label: string; computed: Computed }[];
  unit: SpeedUnit;
}

/** Shares of time in the speed classes, as a bar for each time frame and a table below. All time frames have the same classes. */
export function SpeedClasses({ rows, unit }: Props) {
  const classes = rows[0]?.computed.time_per_speed_ranges ?? [];
  const colour = (i: number) => `var(--band-${Math.min(i, 5)})`;
  return (
    <figure class="bars">
      <figcaption>Time by speed</figcaption>
      <ul class="classes">
        {classes.map((one, i) => (
          <li key={one.threshold_low}>
            <i class="dot" style={{ background: colour(i) }} />
            {bandLabel(one, i === classes.length - 1, unit)}
          </li>
        ))}
        <li class="unit">{unit}</li>
      </ul>
      <div class="stacks" aria-hidden="true">
        {rows.map(({ key, label, computed }) => (
          <div class="stacked" key={key}>
            <span title={label}>{label}</span>
            <span class="bar-track">
              {computed.time_per_speed_ranges.map(({ threshold_low, ratio }, i) => (
                <i
                  key={threshold_low}
                  style={{ width: `${ratio * 100}%`, background: colour(i) }}
                  title={percent(ratio)}
                />
              ))}
            </span>
          </div>
        ))}
      </div>
      <details>
        <summary>As a table</summary>
        <div class="scrolled-x">
          <table>
            <thead>
              <tr>
                <th scope="col">Athlete</th>
                {classes.map((one, i) => (
                  <th scope="col" key={one.threshold_low}>
                    {bandLabel(one, i === classes.length - 1, unit)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ key, label, computed }) => (
                <tr key={key}>
                  <th scope="row">{label}</th>
                  {computed.time_per_speed_ranges.map(({ threshold_low, duration: seconds, ratio }) => (
                    <td key={threshold_low}>
                      {duration(seconds * 1000)}
                      <br />
                      <span class="unit">{percent(ratio)}</span>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
