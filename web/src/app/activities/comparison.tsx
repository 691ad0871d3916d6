import { useSignal } from "@preact/signals";
import { cssColour, trackColour } from "../../map/palette.js";
import { offerFile } from "../../parts/offer-file.js";
import { Scrolled } from "../../parts/panel.js";
import { TooFast } from "../../parts/too-fast.js";
import type { Settings } from "../../view/settings.js";
import { NO_VALUE, withUnit } from "../../view/values.js";
import { Bars } from "./bars.js";
import { type ComparedFrame, comparisonCsv } from "./comparison-csv.js";
import type { Computed } from "./computed.js";
import {
  COMPARED_FIGURES,
  type ComparedFigure,
  differenceText,
  isComparable,
  nameOfFigure,
} from "./computed-figures.js";
import { SpeedClasses } from "./speed-classes.js";

interface Props {
  frames: readonly ComparedFrame[];
  settings: Settings;
  /** The beginning of the name of the exported file. */
  activity: string;
}

/** The reference for differences: null, the mean, or the time frame with this id. */
type Reference = "none" | "mean" | number;

/** Compares time frames of an activity in a table of figures with differences, and in a chart for each figure. */
export function Comparison({ frames, settings, activity }: Props) {
  const name = useSignal("");
  const reference = useSignal<Reference>("mean");
  const charted = useSignal("distance");
  const names = [...new Set(frames.map((frame) => frame.name))].filter((one) => one !== "").sort();
  const chosen = frames.filter((frame) => name.value === "" || frame.name === name.value);
  const computed = chosen.flatMap((frame) => frame.computed ?? []);
  const unit = settings.speedUnit.value;
  const theme = settings.theme.value;
  const figure =
    COMPARED_FIGURES.find(({ key }) => key === charted.value) ?? (COMPARED_FIGURES[0] as ComparedFigure);
  const mean = meanOf(figure, computed);
  const labelOf = labels(chosen);
  // a single time frame has no differences
  const isAlone = chosen.length < 2;
  const referenceValue = isAlone ? "none" : reference.value;
  const compared =
    typeof referenceValue === "number"
      ? chosen.find(({ timeframe }) => timeframe === referenceValue)
      : undefined;
  const valueOfReference = (one: ComparedFigure): number | null => {
    if (referenceValue === "mean") return meanOf(one, computed);
    return compared?.computed == null ? null : one.value(compared.computed);
  };

  return (
    <section class="panel padded comparison-of-frames" aria-labelledby="comparison-title">
      <div class="section-head">
        <h2 id="comparison-title">Compared</h2>
        <div class="buttons">
          {names.length < 2 ? null : (
            <label class="field">
              Time frames
              <select
                value={name.value}
                onChange={({ currentTarget }) => {
                  name.value = currentTarget.value;
                }}
              >
                <option value="">All</option>
                {names.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label class="field">
            Differences from
            <select
              value={String(referenceValue)}
              disabled={isAlone}
              onChange={({ currentTarget: { value } }) => {
                reference.value = value === "none" || value === "mean" ? value : Number(value);
              }}
            >
              <option value="none">nothing</option>
              <option value="mean">the mean</option>
              {chosen.map((frame) => (
                <option key={frame.timeframe} value={String(frame.timeframe)}>
                  {labelOf(frame)}
                </option>
              ))}
            </select>
          </label>
          <button
            type="button"
            disabled={computed.length === 0}
            onClick={() =>
              offerFile(
                new Blob([comparisonCsv(chosen, { speedUnit: unit, zone: settings.zone.peek() })], {
                  type: "text/csv;charset=utf-8",
                }),
                `${activity.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "activity"}-figures.csv`,
              )
            }
          >
            Export as CSV
          </button>
        </div>
      </div>
      {isComparable(computed) ? null : (
        <p class="note warning">
          These time frames have different thresholds. Counts, high intensity and time by speed are not
          comparable.
        </p>
      )}
      {isAlone ? (
        <p class="note">
          To see differences, add a time frame of another athlete, or a second one of this athlete.
        </p>
      ) : null}
      <Scrolled label="Compared figures">
        <table class="comparison">
          <thead>
            <tr>
              <th scope="col">Athlete</th>
              {COMPARED_FIGURES.map((one) => (
                <th scope="col" key={one.key} title={one.hint}>
                  {withUnit(nameOfFigure(one, computed, unit), one.unit(unit))}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {chosen.map((frame, i) => (
              <tr key={frame.timeframe}>
                <th scope="row">
                  <i class="dot" style={{ background: cssColour(trackColour(i, theme)) }} />
                  {labelOf(frame)}
                  <TooFast metrics={frame.computed ?? undefined} speedUnit={unit} isNote />
                </th>
                {COMPARED_FIGURES.map((one) => (
                  <td key={one.key}>
                    <Cell
                      figure={one}
                      computed={frame.computed}
                      reference={frame === compared ? null : valueOfReference(one)}
                      settings={settings}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {computed.length < 2 ? null : (
            <tfoot>
              <tr>
                <th scope="row">Mean</th>
                {COMPARED_FIGURES.map((one) => {
                  const value = meanOf(one, computed);
                  return <td key={one.key}>{value === null ? NO_VALUE : one.text(value, unit)}</td>;
                })}
              </tr>
            </tfoot>
          )}
        </table>
      </Scrolled>
      {computed.length === 0 ? null : (
        <div class="charts">
          <div>
            <label class="field">
              Chart
              <select
                value={charted.value}
                onChange={({ currentTarget }) => {
                  charted.value = currentTarget.value;
                }}
              >
                {COMPARED_FIGURES.map((one) => (
                  <option key={one.key} value={one.key}>
                    {nameOfFigure(one, computed, unit)}
                  </option>
                ))}
              </select>
            </label>
            <Bars
              title={nameOfFigure(figure, computed, unit)}
              note={figure.unit(unit)}
              bars={chosen.map((frame, i) => {
                const value = frame.computed === null ? null : figure.value(frame.computed);
                return {
                  key: frame.timeframe,
                  label: labelOf(frame),
                  value,
                  text: value === null ? NO_VALUE : figure.text(value, unit),
                  colour: cssColour(trackColour(i, theme)),
                };
              })}
              line={
                mean === null || computed.length < 2
                  ? null
                  : {
                      value: mean,
                      text: `Line: the mean, ${figure.text(mean, unit)} ${figure.unit(unit)}`.trim(),
                    }
              }
            />
          </div>
          {isComparable(computed) ? (
            <SpeedClasses
              rows={chosen.flatMap((frame) =>
                frame.computed === null
                  ? []
                  : { key: frame.timeframe, label: labelOf(frame), computed: frame.computed },
              )}
              unit={unit}
            />
          ) : null}
        </div>
      )}
    </section>
  );
}

function Cell({
  figure,
  computed,
  reference,
  settings,
}: {
  figure: ComparedFigure;
  computed: Computed | null;
  reference: number | null;
  settings: Settings;
}) {
  const unit = settings.speedUnit.value;
  const value = computed === null ? null : figure.value(computed);
  if (value === null) return <>{NO_VALUE}</>;
  return (
    <>
      {figure.text(value, unit)}
      {reference === null ? null : (
        <>
          <br />
          <span class="unit">{differenceText(figure, value - reference, unit)}</span>
        </>
      )}
    </>
  );
}

function meanOf(figure: ComparedFigure, all: readonly Computed[]): number | null {
  const values = all.flatMap((one) => figure.value(one) ?? []);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Labels with the athlete. If an athlete has several time frames, the labels also contain their names. */
function labels(frames: readonly ComparedFrame[]): (frame: ComparedFrame) => string {
  const counts = new Map<string, number>();
  for (const { athlete } of frames) counts.set(athlete, (counts.get(athlete) ?? 0) + 1);
  return ({ athlete, name, timeframe }) =>
    counts.get(athlete) === 1 ? athlete : `${athlete}, ${name === "" ? `time frame ${timeframe}` : name}`;
}
