import { useSignal } from "@preact/signals";
import type { Problem, Workspace } from "../recording/workspace.js";

/** What is being read, and what could not be. */
export function Status({ workspace }: { workspace: Workspace }) {
  const reading = workspace.reading.value;
  const waiting = workspace.waiting.value;
  const problems = workspace.problems.value;
  return (
    <>
      <div class="reading" role="status">
        {reading === null ? null : (
          <>
            <span>
              Reading {reading.fileName}…{waiting === 0 ? null : ` ${waiting} more after it.`}
            </span>
            <progress value={reading.share} max={1} aria-label={`Reading ${reading.fileName}`} />
            <button type="button" onClick={() => workspace.cancel()}>
              Cancel
            </button>
          </>
        )}
      </div>
      <div class="problems" role="alert">
        {problems.map((problem) => (
          <ProblemCard key={problem} problem={problem} workspace={workspace} />
        ))}
      </div>
    </>
  );
}

function ProblemCard({ problem, workspace }: { problem: Problem; workspace: Workspace }) {
  const { name, file, message, place, code } = problem;
  const serial = useSignal("");
  return (
    <div class="problem">
      <strong>{name} could not be opened.</strong>
      <p>
        {message}
        {place === "" ? null : ` (${place})`}
      </p>
      {/* the codes of the library can be looked up; those of the service are for programs */}
      {code === null || file === null ? null : <p class="code">{code}</p>}
      {code === "NOT_A_RECORDING" && file !== null && file.size > 0 ? (
        <form
          class="field"
          onSubmit={(event) => {
            event.preventDefault();
            workspace.open([file], { serial: serial.value });
          }}
        >
          <label>
            If it is a log of a u-blox receiver, give it a serial number
            <input
              required
              maxLength={16}
              pattern="[A-Za-z0-9_][A-Za-z0-9._\-]*"
              title="1 to 16 letters, digits, dots, hyphens or underscores"
              value={serial.value}
              onInput={({ currentTarget }) => {
                serial.value = currentTarget.value;
              }}
            />
          </label>
          <button type="submit">Read it as a log</button>
        </form>
      ) : null}
      <button
        type="button"
        class="close"
        aria-label={`Dismiss the message about ${name}`}
        onClick={() => {
          workspace.problems.value = workspace.problems.peek().filter((one) => one !== problem);
        }}
      >
        ×
      </button>
    </div>
  );
}
