import { useSignal, useSignalEffect } from "@preact/signals";
import { type NamedRecipe, RECIPES, type RecipeRun, type SensitivityRow } from "asi-convert/metrics";
import { useMemo } from "preact/hooks";
import type { RecordingService } from "../recording/messages.js";
import type { RecipeFigures } from "../recording/recipe.js";
import type { Recording } from "../recording/recording.js";
import { oneAtATime } from "../view/latest.js";
import { type Selection, showAround } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { timeOfDay } from "../view/times.js";
import { decimal, NO_VALUE, speedFactor, withUnit } from "../view/values.js";
import { NoFigures } from "./no-figures.js";
import { Scrolled } from "./panel.js";
import { PlaceList } from "./place-list.js";
import { OpenRecipe, RecipesNote, recipesInFile, recipeText } from "./recipe-file.js";

export interface RecipesProps {
  recording: Recording;
  selection: Selection;
  settings: Settings;
  reader: RecordingService;
}

type Found = { of: NamedRecipe; figures: RecipeFigures } | { of: NamedRecipe; problem: string };

const LONGEST_LIST = 100;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The count of a recipe in the visible part, with a table that shows the effect of its choices. */
export function Recipes({ recording: { id }, selection, settings, reader }: RecipesProps) {
  const own = useSignal<readonly NamedRecipe[]>([]);
  const chosen = useSignal<NamedRecipe>(RECIPES[0] as NamedRecipe);
  const refused = useSignal<string | null>(null);
  const found = useSignal<Found | null>(null);
  const compute = useMemo(
    () =>
      oneAtATime(async () => {
        const of = chosen.peek();
        const asked = { id, shown: selection.shown.peek(), recipe: of.recipe };
        found.value = await reader.ask("recipe", asked).then(
          (figures) => ({ of, figures }),
          (error) => ({ of, problem: messageOf(error) }),
        );
      }),
    [id, selection, reader, found, chosen],
  );
  useSignalEffect(() => {
    selection.shown.value;
    chosen.value;
    compute();
  });
  const open = async (file: File) => {
    try {
      const recipes = await recipesInFile(file);
      own.value = [...recipes, ...own.peek()];
      chosen.value = recipes[0] ?? chosen.peek();
      refused.value = null;
    } catch (error) {
      refused.value = messageOf(error);
    }
  };

  const all = [...own.value, ...RECIPES];
  return (
    <>
      <RecipesNote before="Counts of a recording depend on the definition." />
      <div class="option">
        <label>
          Definition{" "}
          <select
            value={all.indexOf(chosen.value)}
            onChange={({ currentTarget }) => {
              chosen.value = all[Number(currentTarget.value)] ?? chosen.peek();
            }}
          >
            {all.map(({ name }, i) => (
              <option key={`${i}${name}`} value={i}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <OpenRecipe onFile={open} />
      </div>
      {refused.value === null ? null : (
        <p class="bad" role="alert">
          {refused.value}
        </p>
      )}
      <Counted found={found.value} selection={selection} settings={settings} />
    </>
  );
}

interface CountedProps {
  found: Found | null;
  selection: Selection;
  settings: Settings;
}

function Counted({ found, selection, settings }: CountedProps) {
  if (found === null) return <p role="status">Counting…</p>;
  if ("problem" in found) return <NoFigures problem={found.problem} />;
  const { of, figures } = found;
  const { count, distance, dropped, runs } = figures.result;
  const zone = settings.zone.value;
  const unit = settings.speedUnit.value;
  const isSpeed = of.recipe.derivative === null;
  const peak = ({ max_value }: RecipeRun) => decimal(isSpeed ? max_value * speedFactor(unit) : max_value, 1);
  return (
    <section aria-label="Counts of the definition">
      <h3>
        {count === null || distance === null
          ? "No count, because it requires at least 1 s with 5 samples per second"
          : `${decimal(count, 0)} efforts, ${decimal(distance, 0)} m in the shown time`}
      </h3>
      <p class="note">
        {recipeText(of)}
        {dropped.gate_duration === undefined
          ? ""
          : ` Samples of the shown time that its gate dropped: ${decimal(dropped.gate, 0)} (${decimal(dropped.gate_duration, 1)} s).`}
        {dropped.too_fast === 0 ? "" : ` Excluded as too fast: ${decimal(dropped.too_fast, 0)} samples.`}
      </p>
      <div class="beside">
        <Sensitivity rows={figures.sensitivity} />
        <div>
          {runs.length === 0 ? (
            <p class="muted">None in the shown time.</p>
          ) : (
            <PlaceList
              label="Counted efforts"
              heads={["Start", "Length, s", isSpeed ? withUnit("Max", unit) : "Peak, m/s²", "Distance, m"]}
              hasMore={runs.length > LONGEST_LIST}
              places={runs.slice(0, LONGEST_LIST).map((run) => ({
                key: run.start_time,
                head: timeOfDay(run.start_time, zone),
                cells: [decimal(run.duration, 1), peak(run), decimal(run.distance, 0)],
                show: {
                  label: `Show ${timeOfDay(run.start_time, zone)}`,
                  onShow: () => showAround(selection, run.start_time, run.duration),
                },
              }))}
            />
          )}
        </div>
      </div>
    </section>
  );
}

/** The count with different filters and minimum durations. All other choices stay the same. */
function Sensitivity({ rows }: { rows: readonly SensitivityRow[] }) {
  return (
    <Scrolled label="Count by filter and minimum duration">
      <table>
        <caption>
          Count by filter and minimum duration. All other choices stay the same. The definition itself is
          bold.
        </caption>
        <thead>
          <tr>
            <th scope="col">Filter</th>
            {(rows[0]?.cells ?? []).map(({ min_ms }) => (
              <th key={min_ms} scope="col">
                {min_ms / 1000} s
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ filter, cells }) => (
            <tr key={filter}>
              <th scope="row">{filter}</th>
              {cells.map(({ min_ms, count, is_recipe: isRecipe }) => {
                const text = count === null ? NO_VALUE : decimal(count, 0);
                return <td key={min_ms}>{isRecipe ? <strong>{text}</strong> : text}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}
