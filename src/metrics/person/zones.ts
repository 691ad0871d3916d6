import { shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import type { ParameterOverrides } from "../parameters.js";

/** Speeds of a person, m/s. */
export interface PersonSpeeds {
  /** Confirmed maximum sprinting speed. */
  readonly mss: number;
  /** Maximum aerobic speed, from a test. It is never inferred from matches. */
  readonly mas?: number | undefined;
}

/**
 * Returns the speed zones of a person as parameters for `computeMetrics`, whose result then contains them in `definition`. `asr`:
 * 0, 60, 80 and 100 % of the maximum aerobic speed, then 30 % of the reserve, up to the maximum speed. `mss`: 60, 80 and 90 % of
 * the maximum speed.
 *
 * @throws AsiError `BAD_OPTION` if required speeds are missing
 */
export function individualZones(kind: "asr" | "mss", { mss, mas }: PersonSpeeds): ParameterOverrides {
  requireSpeed("mss", mss);
  if (kind === "mss") {
    const [high, sprint, near] = [0.6, 0.8, 0.9].map((share) => thousandths(share * mss)) as [
      number,
      number,
      number,
    ];
    return {
      speed_ranges: [0, high, sprint, near],
      sprint_threshold: sprint,
      hid_thresholds: [high, sprint],
    };
  }
  if (kind !== "asr") throw bad(`kind is ${shown(kind)}; it must be asr or mss.`);
  requireSpeed("mas", mas);
  if (mas >= mss) throw bad("mas must be below mss.");
  const aerobic = thousandths(mas);
  const sprint = thousandths(mas + 0.3 * (mss - mas));
  const jog = thousandths(0.8 * mas);
  return {
    speed_ranges: [0, thousandths(0.6 * mas), jog, aerobic, sprint],
    sprint_threshold: sprint,
    hid_thresholds: [jog, aerobic],
  };
}

function thousandths(speed: number): number {
  return Math.floor(speed * 1000 + 0.5) / 1000;
}

function requireSpeed(name: string, speed: unknown): asserts speed is number {
  if (typeof speed === "number" && speed >= 1 && speed <= 20) return;
  throw bad(`${name} is ${shown(speed)}; it must be from 1 to 20 m/s.`);
}

function bad(message: string): AsiError {
  return new AsiError("BAD_OPTION", message);
}
