import { FASTEST_MEAN_KM_PER_H } from "../rules.js";

/** The colours and signs of the strips. */
export function Legend() {
  return (
    <p class="clock-legend">
      <span>
        0 <i class="clock-ramp" /> {FASTEST_MEAN_KM_PER_H}+ km/h mean
      </span>
      <span>
        <i class="clock-sprint" /> sprint
      </span>
      <span>▶ on</span>
      <span>◀ off</span>
    </p>
  );
}
