import type { AccelerationSpeedProfile } from "asi-convert/metrics";
import { useRef } from "preact/hooks";
import type { SpeedProfile } from "../recording/recording.js";
import { roundStep } from "../view/axis.js";
import { useSize } from "../view/element-size.js";
import { decimal, type SpeedUnit, speedFactor } from "../view/values.js";

interface Props {
  points: SpeedProfile["points"];
  profile: AccelerationSpeedProfile["profile"];
  unit: SpeedUnit;
}

const HEIGHT = 300;
const LEFT = 30;
const RIGHT = 14;
const TOP = 22;
const BOTTOM = 40;
const MOST_ROWS = 8;
const PIXELS_OF_TICK = 55;

/** Acceleration by speed: the points, and the line from A0 to S0. */
export function ProfileChart({ points, profile, unit }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box).value;
  const factor = speedFactor(unit);
  const rightmost = Math.max(profile?.s0 ?? 0, ...points.map(({ speed }) => speed)) * factor;
  const highest = Math.max(profile?.a0 ?? 0, ...points.map(({ acceleration }) => acceleration));
  const column = roundStep(rightmost / Math.max(2, width / PIXELS_OF_TICK), 1);
  const row = roundStep(highest / MOST_ROWS, 1);
  const right = column * Math.ceil(rightmost / column);
  const top = row * Math.ceil(highest / row);
  const x = (speed: number) => LEFT + (speed / right) * (width - LEFT - RIGHT);
  const y = (acceleration: number) => TOP + (1 - acceleration / top) * (HEIGHT - TOP - BOTTOM);
  const steps = (step: number, end: number) =>
    Array.from({ length: Math.round(end / step) + 1 }, (_, i) => i * step);
  const words = `${points.length} points of acceleration by speed${
    profile === null
      ? ""
      : `, and a line from ${decimal(profile.a0, 2)} m/s² at rest to ${decimal(profile.s0 * factor, 1)} ${unit}`
  }`;
  return (
    <div class="peak-curve profile-chart" ref={box}>
      <svg role="img" aria-label={words} height={HEIGHT}>
        {steps(row, top).map((value) => (
          <g key={value}>
            <path class="grid" d={`M${LEFT} ${y(value)}H${width - RIGHT}`} />
            <text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
              {decimal(value, 0)}
            </text>
          </g>
        ))}
        {steps(column, right).map((value) => (
          <g key={value}>
            <path class="grid" d={`M${x(value)} ${TOP}V${HEIGHT - BOTTOM}`} />
            <text x={x(value)} y={HEIGHT - BOTTOM + 16} text-anchor="middle">
              {decimal(value, 0)}
            </text>
          </g>
        ))}
        <text x={4} y={12}>
          Acceleration, m/s²
        </text>
        <text x={width - RIGHT} y={HEIGHT - 6} text-anchor="end">
          Speed, {unit}
        </text>
        {points.map(({ speed, acceleration }) => (
          <circle key={`${speed} ${acceleration}`} cx={x(speed * factor)} cy={y(acceleration)} r="3.5" />
        ))}
        {profile === null ? null : (
          <path class="line" d={`M${x(0)} ${y(profile.a0)}L${x(profile.s0 * factor)} ${y(0)}`} />
        )}
      </svg>
    </div>
  );
}
