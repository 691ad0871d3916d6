import { useSignal } from "@preact/signals";
import { type NamedRecipe, RECIPES } from "asi-convert/metrics";
import { commonKey, MOST_RECIPES_ON_PAPER } from "asi-convert/squad-report";
import { OpenRecipe, RecipesNote, recipesInFile, recipeText } from "../../parts/recipe-file.js";
import type { ColumnChoice } from "../columns.js";
import type { SquadSession } from "../squad-session.js";
import { AddedColumns, FirstReason } from "./added-columns.js";
import { ownRecipes, recipesIn, textOf, withRecipes } from "./recipe-choice.js";

export interface RecipeChoiceProps {
  session: SquadSession;
  columns: ColumnChoice;
}

const hasColumnsOf = (recipes: readonly NamedRecipe[], one: NamedRecipe) =>
  recipes.some((other) => commonKey([other, one]) !== null);

const without = (recipes: readonly NamedRecipe[], others: readonly NamedRecipe[]) =>
  recipes.filter((one) => !hasColumnsOf(others, one));

/** The selected recipes, and a list of the others: built-in recipes by preset, and files. */
export function RecipeChoice({ session, columns }: RecipeChoiceProps) {
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
  const remove = (name: string) => {
    const removed = chosen.filter((one) => one.name === name);
    columns.recipes.value = textOf(chosen.filter((one) => one.name !== name));
    // allows the user to add them again
    if (!removed.every((one) => RECIPES.includes(one))) keepOwn(removed);
  };
  return (
    <>
      <AddedColumns
        names={{ one: "Definition", selected: "Chosen definitions" }}
        selected={chosen.map((one) => ({ key: one.name, name: one.name, title: recipeText(one) }))}
        onRemove={remove}
        groups={groupsOf(all).map(({ name, recipes }) => ({
          name,
          members: recipes.map((one) => ({ key: String(all.indexOf(one)), name: one.name })),
        }))}
        listed={String(all.indexOf(listed as NamedRecipe))}
        onList={(key) => {
          at.value = Number(key);
        }}
        onAdd={
          listed === undefined || hasColumnsOf(chosen, listed)
            ? null
            : () => {
                add([listed]);
                refused.value = null;
              }
        }
      >
        <OpenRecipe onFile={open} />
      </AddedColumns>
      <Notices session={session} chosen={chosen} />
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
      <FirstReason reasons={uncounted} what="counts" />
    </>
  );
}
