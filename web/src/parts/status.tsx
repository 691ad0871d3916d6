import { useSignal } from "@preact/signals";
import type { Problem, Workspace } from "../recording/workspace.js";
import { decimal } from "../view/values.js";

/** Files that are being read, and files that the page could not read. */
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

/** The question and the button for a serial number, by error code. */
const SERIAL_FORMS: Record<string, readonly [string, string]> = {
  NOT_A_RECORDING: ["If it is a log of a u-blox receiver, give it a serial number", "Read it as a log"],
  BAD_HEADER: ["Serial number of the device", "Read it with this number"],
  MIXED_DEVICES: ["One serial number for the whole file", "Read it as one recording"],
};

function ProblemCard({ problem, workspace }: { problem: Problem; workspace: Workspace }) {
  const { name, file, message, line, byteOffset, code } = problem;
  const serial = useSignal("");
  const serialForm = file === null || file.size === 0 ? undefined : SERIAL_FORMS[code ?? ""];
  return (
    <div class="problem">
      <strong>{name} could not be opened.</strong>
      <p>
        {message}
        {line === null ? null : ` (line ${line})`}
      </p>
      {/* The documentation explains the codes of the library. The codes of the service are for programs. */}
      {code === null || file === null ? null : (
        <p class="code">
          {code}
          {byteOffset === null ? null : `, byte ${decimal(byteOffset, 0)}`}
        </p>
      )}
      {file === null || serialForm === undefined ? null : (
        <form
          class="field"
          onSubmit={(event) => {
            event.preventDefault();
            workspace.open([file], { serial: serial.value });
          }}
        >
          <label>
            {serialForm[0]}
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
          <button type="submit">{serialForm[1]}</button>
        </form>
      )}
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
