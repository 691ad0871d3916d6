import type { Workspace } from "../recording/workspace.js";

/** What is being read, and what could not be. */
export function Status({ workspace }: { workspace: Workspace }) {
  const reading = workspace.reading.value;
  const problems = workspace.problems.value;
  return (
    <>
      <div class="reading" role="status">
        {reading === null ? null : (
          <>
            Reading {reading.fileName}
            <progress value={reading.share} max={1} aria-label={`Reading ${reading.fileName}`} />
          </>
        )}
      </div>
      <div role="alert">
        {problems.map(({ fileName, message, place, code }) => (
          <div class="problem" key={fileName}>
            <strong>{fileName} could not be opened.</strong>
            <p>
              {message}
              {place === "" ? null : ` (${place})`}
            </p>
            {code === null ? null : <p class="code">{code}</p>}
          </div>
        ))}
      </div>
    </>
  );
}
