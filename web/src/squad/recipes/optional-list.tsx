import "./optional-list.css";
import { useSignal } from "@preact/signals";
import { cautionsOf, notesOf, type OptionalColumn, type OptionalFigure } from "asi-convert/squad-report";
import type { SquadSession } from "../squad-session.js";
import { AddedColumns, FirstReason } from "./added-columns.js";
import { MOST_COLUMNS_ON_PAPER, onPaper } from "./on-paper.js";
import { OPTIONAL_COLUMNS, optionalColumnsIn } from "./optional-columns.js";
import type { RecipeChoiceProps } from "./recipe-list.js";

const GROUPS: readonly (readonly [OptionalFigure, string])[] = [
  ["peaks", "Peak demands"],
  ["metabolic", "Metabolic power (estimate)"],
  ["standardRuns", "Standard runs (experimental)"],
];

const FIRST_KEY = "peak_60s_distance_m";

const nameOf = ({ title, unit }: OptionalColumn) => (unit === "" ? title : `${title}, ${unit}`);

const addable = (columns: readonly OptionalColumn[]) =>
  columns.map((column) => ({ key: column.key, name: nameOf(column) }));

const ALL = GROUPS.map(([figure, name]) => ({
  name,
  members: addable(OPTIONAL_COLUMNS.filter(({ of }) => of === figure)),
}));

/** The selected columns of optional figures, and a list of all. */
export function OptionalFigureChoice({ session, columns }: RecipeChoiceProps) {
  const listed = useSignal(FIRST_KEY);
  const chosen = optionalColumnsIn(columns.keys.value);
  const isChosen = (key: string) => chosen.some((one) => one.key === key);
  return (
    <>
      <AddedColumns
        names={{ one: "Figure", selected: "Selected figures", add: "Add the figure" }}
        selected={addable(chosen)}
        onRemove={(key) => columns.toggle(key)}
        groups={ALL}
        listed={listed.value}
        onList={(key) => {
          listed.value = key;
        }}
        onAdd={isChosen(listed.value) ? null : () => columns.toggle(listed.value)}
      />
      {notesOf(OPTIONAL_COLUMNS.filter(({ key }) => key === listed.value || isChosen(key))).map((note) => (
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
  const { optionalColumns } = onPaper(chosen);
  const reasons = session.figures.value.rows.flatMap(
    ({ withoutPeaks, withoutRuns }) => withoutPeaks ?? withoutRuns ?? [],
  );
  return (
    <>
      {optionalColumns.length === optionalColumnsIn(chosen.columns.map(({ key }) => key)).length ? null : (
        <p class="note">
          A report has space for {MOST_COLUMNS_ON_PAPER} columns of other definitions and optional figures.{" "}
          {optionalColumns.length === 0
            ? "It contains none of the selected figures."
            : `It contains ${optionalColumns.map(({ head }) => head).join(", ")}.`}
        </p>
      )}
      <FirstReason reasons={reasons} what="figures" />
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
