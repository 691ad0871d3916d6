import { useSignal, useSignalEffect } from "@preact/signals";
import { AsiError } from "asi-convert";
import {
  type NamedRecipe,
  RECIPES,
  type RecipeRun,
  readRecipes,
  type SensitivityRow,
} from "asi-convert/metrics";
import { useMemo, useRef } from "preact/hooks";
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

export interface RecipesProps {
  recording: Recording;
  selection: Selection;
  settings: Settings;
  reader: RecordingService;
}

type Found = { of: NamedRecipe; figures: RecipeFigures } | { of: NamedRecipe; problem: string };

/** Digits of a hash that distinguish recipes, as `asi stats --recipe` shows them. */
const SHORT_HASH = 12;
const LONGEST_LIST = 100;
const LARGEST_FILE_BYTES = 1_000_000;

/** What a recipe counts in the shown time, with a table of how much its choices matter. */
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
          (error) => ({ of, problem: error instanceof Error ? error.message : String(error) }),
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
      if (file.size > LARGEST_FILE_BYTES) throw new AsiError("BAD_OPTION", "The file is larger than 1 MB.");
      const recipes = readRecipes(await file.text(), file.name);
      own.value = [...recipes, ...own.peek()];
      chosen.value = recipes[0] ?? chosen.peek();
      refused.value = null;
    } catch (error) {
      refused.value = `${file.name}: ${error instanceof AsiError ? error.message : error}`;
    }
  };

  const all = [...own.value, ...RECIPES];
  return (
    <>
      <p class="note">
        The same recording gives other counts by other definitions. “As worded by” means what is published:
        the filters of other products are not, so theirs may differ.
      </p>
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

function OpenRecipe({ onFile }: { onFile: (file: File) => Promise<void> }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        Open a recipe file…
      </button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        data-recipe
        onChange={async ({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) await onFile(file);
          // so that the same file can be chosen again
          currentTarget.value = "";
        }}
      />
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
  const { count, distance, hash, dropped, runs } = figures.result;
  const zone = settings.zone.value;
  const unit = settings.speedUnit.value;
  const isSpeed = of.recipe.derivative === null;
  const peak = ({ max_value }: RecipeRun) => decimal(isSpeed ? max_value * speedFactor(unit) : max_value, 1);
  return (
    <section aria-label="Counts of the definition">
      <h3>
        {count === null || distance === null
          ? "None: it needs at least 5 samples a second"
          : `${decimal(count, 0)} efforts, ${decimal(distance, 0)} m in the shown time`}
      </h3>
      <p class="note">
        {of.title === of.name ? "" : `${of.title}. `}
        {of.source === null ? "" : `Source: ${of.source}. `}
        Recipe {hash.slice(0, SHORT_HASH)}.
        {dropped.gate_duration === undefined
          ? ""
          : ` Samples of the shown time that its gate dropped: ${decimal(dropped.gate, 0)} (${decimal(dropped.gate_duration, 1)} s).`}
        {dropped.too_fast === 0 ? "" : ` Left out as too fast: ${decimal(dropped.too_fast, 0)} samples.`}
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

/** The count with other filters and other minimum durations, and all else equal. */
function Sensitivity({ rows }: { rows: readonly SensitivityRow[] }) {
  return (
    <Scrolled label="Count by filter and minimum duration">
      <table>
        <caption>Count by filter and minimum duration, all else equal. Bold: the definition itself.</caption>
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
