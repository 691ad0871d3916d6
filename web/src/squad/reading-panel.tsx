import { fileSize } from "../view/values.js";
import { readText, type SquadFile } from "./squad-file.js";
import { isSound } from "./squad-player.js";
import type { SquadSession } from "./squad-session.js";

/** Progress of reading, with one bar by bytes and a chip for each file. */
export function ReadingPanel({ session }: { session: SquadSession }) {
  const files = session.files.value;
  const total = files.reduce((sum, file) => sum + sizeOf(file), 0);
  const done = files.reduce((sum, file) => sum + readBytes(file), 0);
  return (
    <section class="panel squad-reading" aria-label="Files that are read">
      <header>
        <h2>Reading {readText(files)}</h2>
        <progress value={done} max={Math.max(1, total)} aria-label="Reading the files" />
        <span class="muted">
          {session.stored === null ? `${fileSize(done)} of ${fileSize(total)}` : null}
        </span>
        <button type="button" onClick={() => session.opened.stopReading()}>
          Stop
        </button>
      </header>
      <ul>
        {files.map(({ id, file, state }) => (
          <li key={id} class={classOf(state)}>
            <i aria-hidden="true" />
            {file.name}
            <span class="for-readers">: {WORDS[classOf(state)]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the size of a file in bytes, or of a range in samples. */
const sizeOf = ({ file, range }: SquadFile): number => range?.size ?? file.size;

function readBytes(file: SquadFile): number {
  const { state } = file;
  if (state.name === "waiting") return 0;
  return state.name === "reading" ? Math.min(sizeOf(file), state.bytes) : sizeOf(file);
}

type ChipClass = "waiting" | "being-read" | "read" | "wrong" | "left-out";

const WORDS: Record<ChipClass, string> = {
  waiting: "waits",
  "being-read": "is being read",
  read: "read",
  wrong: "to check",
  "left-out": "left out",
};

function classOf(state: SquadFile["state"]): ChipClass {
  switch (state.name) {
    case "waiting":
      return "waiting";
    case "reading":
      return "being-read";
    case "failed":
      return "wrong";
    case "left out":
      return "left-out";
    case "recording":
      return isSound(state.recording) ? "read" : "wrong";
    default:
      return "read";
  }
}
