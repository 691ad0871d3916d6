import "./further.css";
import { useSignal } from "@preact/signals";
import { cautionsOf, type FurtherColumn, type FurtherFigure, notesOf } from "asi-convert/squad-report";
import { useRef } from "preact/hooks";
import type { SquadSession } from "../squad-session.js";
import { FURTHER_COLUMNS, furtherIn } from "./further-choice.js";
import { MOST_COLUMNS_ON_PAPER, onPaper } from "./on-paper.js";
import type { RecipeChoiceProps } from "./recipe-list.js";

const GROUPS: readonly (readonly [FurtherFigure, string])[] = [
  ["peaks", "Peak demands"],
  ["metabolic", "Metabolic power (estimate)"],
  ["standardRuns", "Standard runs (experimental)"],
];

const FIRST_KEY = "peak_60s_distance_m";

/** The selected columns of peaks, metabolic power and standard runs, and a choice of further ones. */
export function FurtherChoice({ session, columns }: RecipeChoiceProps) {
  const list = useRef<HTMLSelectElement>(null);
  const listed = useSignal(FIRST_KEY);
  const chosen = furtherIn(columns.keys.value);
  const isChosen = (key: string) => chosen.some((one) => one.key === key);
  const nameOf = ({ title, unit }: FurtherColumn) => (unit === "" ? title : `${title}, ${unit}`);
  return (
    <>
      {chosen.length === 0 ? null : (
        <fieldset aria-label="Selected figures">
          {chosen.map((column) => (
            <label key={column.key}>
              <input
                type="checkbox"
                checked
                onChange={() => {
                  columns.toggle(column.key);
                  list.current?.focus();
                }}
              />
              {nameOf(column)}
            </label>
          ))}
        </fieldset>
      )}
      <div class="buttons">
        <label>
          Figure{" "}
          <select
            ref={list}
            value={listed.value}
            onChange={({ currentTarget }) => {
              listed.value = currentTarget.value;
            }}
          >
            {GROUPS.map(([figure, name]) => (
              <optgroup key={figure} label={name}>
                {FURTHER_COLUMNS.filter(({ of }) => of === figure).map((column) => (
                  <option key={column.key} value={column.key}>
                    {nameOf(column)}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </label>
        <button
          type="button"
          aria-label="Add the figure"
          disabled={isChosen(listed.value)}
          onClick={() => {
            if (!isChosen(listed.value)) columns.toggle(listed.value);
          }}
        >
          Add
        </button>
      </div>
      {notesOf(FURTHER_COLUMNS.filter(({ key }) => key === listed.value || isChosen(key))).map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <Notices session={session} />
    </>
  );
}

/** Names the columns of a report, if it lacks some, and players without figures. */
function Notices({ session }: { session: SquadSession }) {
  const chosen = session.recipes.value;
  const { further } = onPaper(chosen);
  const reasons = session.figures.value.rows.flatMap(
    ({ withoutPeaks, withoutRuns }) => withoutPeaks ?? withoutRuns ?? [],
  );
  const more = reasons.length - 1;
  return (
    <>
      {further.length === furtherIn(chosen.columns.map(({ key }) => key)).length ? null : (
        <p class="note">
          A report has space for {MOST_COLUMNS_ON_PAPER} columns of other definitions and further figures.{" "}
          {further.length === 0
            ? "It contains none of the selected figures."
            : `It contains ${further.map(({ head }) => head).join(", ")}.`}
        </p>
      )}
      <p class="bad" role="alert">
        {reasons[0]}
        {more <= 0
          ? ""
          : ` ${more === 1 ? "One other player has" : `${more} other players have`} no figures either.`}
      </p>
    </>
  );
}

/** The cautions of the shown figures, each with its source. */
export function Cautions({ session }: { session: SquadSession }) {
  return cautionsOf(session.figures.value.counts).map((caution) => (
    <p key={caution} class="note squad-caution">
      {caution}
    </p>
  ));
}
