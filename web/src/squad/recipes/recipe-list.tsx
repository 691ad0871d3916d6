import { useSignal } from "@preact/signals";
import { type NamedRecipe, RECIPES } from "asi-convert/metrics";
import { commonKey, MOST_RECIPES_ON_PAPER } from "asi-convert/squad-report";
import { useRef } from "preact/hooks";
import { OpenRecipe, RecipesNote, recipesInFile, recipeText } from "../../parts/recipe-file.js";
import type { ColumnChoice } from "../columns.js";
import type { SquadSession } from "../squad-session.js";
import { ownRecipes, recipesIn, textOf, withRecipes } from "./recipe-choice.js";

export interface RecipeChoiceProps {
  session: SquadSession;
  columns: ColumnChoice;
}

const hasColumnsOf = (recipes: readonly NamedRecipe[], one: NamedRecipe) =>
  recipes.some((other) => commonKey([other, one]) !== null);

const without = (recipes: readonly NamedRecipe[], others: readonly NamedRecipe[]) =>
  recipes.filter((one) => !hasColumnsOf(others, one));

/** The selected recipes, and a choice of further ones. Those are built-in recipes by preset, and files. */
export function RecipeChoice({ session, columns }: RecipeChoiceProps) {
  const list = useRef<HTMLSelectElement>(null);
  const at = useSignal(0);
  const refused = useSignal<string | null>(null);
  const chosen = recipesIn(columns.recipes.value);
  const all = [...ownRecipes.value, ...RECIPES];
  const listed = all[at.value] ?? all[0];
  const keepOwn = (recipes: readonly NamedRecipe[]) => {
    ownRecipes.value = [...recipes, ...without(ownRecipes.peek(), recipes)];
    at.value = 0;
  };
  const add = (recipes: readonly NamedRecipe[]) => {
    const next = withRecipes(chosen, recipes);
    if (typeof next === "string") throw new Error(next);
    columns.recipes.value = textOf(next);
  };
  const open = async (file: File) => {
    try {
      const recipes = await recipesInFile(file);
      add(recipes);
      keepOwn(recipes);
      refused.value = null;
    } catch (error) {
      refused.value = error instanceof Error ? error.message : String(error);
    }
  };
  const remove = (one: NamedRecipe) => {
    columns.recipes.value = textOf(chosen.filter((other) => other !== one));
    // allows the user to add it again
    if (!RECIPES.includes(one)) keepOwn([one]);
    list.current?.focus();
  };
  return (
    <>
      {chosen.length === 0 ? null : (
        <fieldset aria-label="Chosen definitions">
          {chosen.map((one) => (
            <label key={one.name} title={recipeText(one)}>
              <input type="checkbox" checked onChange={() => remove(one)} />
              {one.name}
            </label>
          ))}
        </fieldset>
      )}
      <Notices session={session} chosen={chosen} />
      <div class="buttons">
        <label>
          Definition{" "}
          <select
            ref={list}
            value={all.indexOf(listed as NamedRecipe)}
            onChange={({ currentTarget }) => {
              at.value = Number(currentTarget.value);
            }}
          >
            {groupsOf(all).map(({ name, recipes }) => (
              <optgroup key={name} label={name}>
                {recipes.map((one) => (
                  <option key={one.name} value={all.indexOf(one)}>
                    {one.name}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </label>
        <button
          type="button"
          disabled={listed === undefined || hasColumnsOf(chosen, listed)}
          onClick={() => {
            if (listed !== undefined) add([listed]);
            refused.value = null;
          }}
        >
          Add
        </button>
        <OpenRecipe onFile={open} />
      </div>
      <p class="bad" role="alert">
        {refused.value}
      </p>
      {listed === undefined ? null : <p class="note">{recipeText(listed)}</p>}
      <RecipesNote before="Each definition has columns for its count and its distance." />
    </>
  );
}

/** Recipes by preset, under the name of the preset. */
function groupsOf(recipes: readonly NamedRecipe[]): { name: string; recipes: NamedRecipe[] }[] {
  const groups = new Map<string, NamedRecipe[]>();
  for (const one of recipes) {
    const name = RECIPES.includes(one) ? one.name.replace(/\/.*/, "") : "From files";
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups].map(([name, own]) => ({ name, recipes: own }));
}

/** Notes on the counts. They name recipes in progress, the recipes of a report, and players without counts. */
function Notices({ session, chosen }: { session: SquadSession; chosen: readonly NamedRecipe[] }) {
  const uncounted = session.figures.value.rows.flatMap((row) => row.uncounted ?? []);
  const more = uncounted.length - 1;
  const isCounting = chosen.length > 0 && session.isComputing.value;
  return (
    <>
      <p class="for-readers" role="status">
        {isCounting ? "Counting…" : ""}
      </p>
      {chosen.length <= MOST_RECIPES_ON_PAPER ? null : (
        <p class="note">
          A report contains the counts of the first {MOST_RECIPES_ON_PAPER}:{" "}
          {chosen
            .slice(0, MOST_RECIPES_ON_PAPER)
            .map(({ name }) => name)
            .join(", ")}
          .
        </p>
      )}
      <p class="bad" role="alert">
        {uncounted[0]}
        {more <= 0
          ? ""
          : ` ${more === 1 ? "One other player has" : `${more} other players have`} no counts either.`}
      </p>
    </>
  );
}
