import { isOutdated } from "../view/use-loaded.js";

/** A message that a part of the page could not be loaded. */
export function Outdated() {
  if (!isOutdated.value) return null;
  return (
    <div class="problem outdated" role="alert">
      <strong>A part of the page could not be loaded. Load the page again.</strong>
      <p>
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </p>
    </div>
  );
}
