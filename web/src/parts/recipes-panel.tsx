import { useLoaded } from "../view/use-loaded.js";
import { Fold } from "./fold.js";
import type { RecipesProps } from "./recipes.js";

const loadRecipes = async () => (await import("./recipes.js")).Recipes;

/** Counts by custom definitions, computed on demand. */
export function RecipesPanel(props: RecipesProps) {
  return <Fold title="Counts by another definition">{() => <Opened {...props} />}</Fold>;
}

function Opened(props: RecipesProps) {
  const Recipes = useLoaded(loadRecipes);
  return Recipes === null ? null : <Recipes {...props} />;
}
