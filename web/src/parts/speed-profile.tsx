import { useCallback } from "preact/hooks";
import { figureSettings } from "../view/settings.js";
import { decimal, type SpeedUnit, speedFactor } from "../view/values.js";
import type { OptionalFigureProps } from "./metabolic.js";
import { NoFigures } from "./no-figures.js";
import { ProfileChart } from "./profile-chart.js";
import { Fact } from "./recording-card.js";
import { useAnswer } from "./use-answer.js";

/** The acceleration-speed profile of a recording, with its points, or the reason why there is none. */
export function Profile({ recording: { id }, settings, reader }: Omit<OptionalFigureProps, "selection">) {
  const ask = useCallback(
    () => reader.ask("profile", { id, settings: figureSettings(settings) }),
    [id, settings, reader],
  );
  const answer = useAnswer(ask, [settings.preset, settings.maxSpeedKmPerH]);
  if (answer === null) return <p role="status">Computing the profile…</p>;
  if ("problem" in answer) return <NoFigures problem={answer.problem} />;
  const { heldSpeed, points, found } = answer.found;
  const unit = settings.speedUnit.value;
  if (heldSpeed === null)
    return <p class="muted">There is none. At least 1 s with 5 samples per second is needed.</p>;
  const { profile, reason, max_speed: maxSpeed } = found;
  return (
    <section aria-label="Acceleration-speed profile">
      <p class="note">
        The two highest accelerations in each class of speeds from {speedText(3, unit)}, in the whole
        recording, with the line that fits them. A profile of one recording depends on what the athlete did;
        with all recordings of 28 days it is closer to a sprint test (Cormier et al. 2023).
      </p>
      <div class={points.length === 0 ? undefined : "beside"}>
        {points.length === 0 ? null : <ProfileChart points={points} profile={profile} unit={unit} />}
        <div role="status">
          {profile === null ? (
            <p>There is no profile: {reason}.</p>
          ) : (
            <dl class="facts">
              <Fact name="A0, theoretical maximum acceleration" value={`${decimal(profile.a0, 2)} m/s²`} />
              <Fact name="S0, theoretical maximum speed" value={speedText(profile.s0, unit)} />
              <Fact name="S0 / A0" value={`${decimal(profile.tau, 2)} s`} />
              <Fact
                name="R² of all points"
                value={`${profile.r2_before === null ? "–" : decimal(profile.r2_before, 4)}, ${profile.n_before} points`}
              />
              <Fact
                name="R² without distant points"
                value={`${profile.r2 === null ? "–" : decimal(profile.r2, 4)}, ${profile.n} points`}
              />
            </dl>
          )}
          <dl class="facts">
            <Fact name="Maximum speed held for 0.5 s" value={speedText(heldSpeed, unit)} />
            {settings.maxSpeedKmPerH.value === null || maxSpeed === null ? null : (
              <Fact name="Maximum speed of the athlete" value={speedText(maxSpeed, unit)} />
            )}
          </dl>
        </div>
      </div>
    </section>
  );
}

/** Returns a speed as text. In m/s, it has two decimals, as in publications. */
const speedText = (mPerS: number, unit: SpeedUnit): string =>
  `${decimal(mPerS * speedFactor(unit), unit === "m/s" ? 2 : 1)} ${unit}`;
