import { AsiError } from "asi-convert";
import {
  type NamedRecipe,
  readRecipes,
  recipeHash,
  refuseLargeRecipeFile,
  shortHash,
} from "asi-convert/metrics";
import { useRef } from "preact/hooks";

/** Reads the recipes in a file. @throws Error with the name of the file and the message of `readRecipes` */
export async function recipesInFile(file: File): Promise<NamedRecipe[]> {
  try {
    refuseLargeRecipeFile(file.size);
    return readRecipes(new Uint8Array(await file.arrayBuffer()), file.name);
  } catch (error) {
    throw new Error(`${file.name}: ${error instanceof AsiError ? error.message : error}`);
  }
}

/** A button that opens a recipe file. */
export function OpenRecipe({ onFile }: { onFile: (file: File) => Promise<void> }) {
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
          // allows the user to choose the same file again
          currentTarget.value = "";
        }}
      />
    </>
  );
}

/** Explains the names of recipes. */
export function RecipesNote({ before }: { before: string }) {
  return (
    <p class="note">
      {before} “As worded by” refers to a published definition. Filters of other products are not published,
      so their counts may differ.
    </p>
  );
}

export const recipeText = ({ name, title, source, recipe }: NamedRecipe): string =>
  [
    ...(title === name ? [] : [`${title}.`]),
    ...(source === null ? [] : [`Source: ${source}.`]),
    `Recipe ${shortHash(recipeHash(recipe))}.`,
  ].join(" ");
