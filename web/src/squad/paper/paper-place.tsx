import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLoaded } from "../../view/use-loaded.js";
import type { SquadSession } from "../squad-session.js";

const load = () => import("./paper-page.js");

/** Contains the first page of the report during printing. The page is drawn synchronously, because browsers do not wait. */
export function PaperPlace({ session }: { session: SquadSession }) {
  const part = useLoaded(load);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const host = place.current;
    if (part === null || host === null) return;
    const begin = () => render(<part.PaperPage session={session} />, host);
    const end = () => render(null, host);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, [part, session]);
  return <div class="squad-paper" ref={place} />;
}
