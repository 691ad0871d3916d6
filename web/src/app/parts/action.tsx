import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { announce, underway } from "./announcements.js";
import { ask, type Question } from "./dialog.js";
import { ProblemCard } from "./problem.js";
import { SLOW_MS } from "./request.js";

/** What did not work, of the actions of one place in the page; null for nothing. */
export type Problem = Signal<{ title: string; error: unknown } | null>;

export const useProblem = (): Problem => useSignal<Problem["value"]>(null);

export function ProblemOf({ problem: { value } }: { problem: Problem }) {
  return value === null ? null : <ProblemCard {...value} />;
}

interface Props {
  /** Does it. If it gives a text, that is announced. */
  work: () => Promise<unknown>;
  /** Shown in the button while it takes longer than a moment: "Releasing…". */
  busy: string;
  /** The title over what went wrong: "The device was not released." */
  failed: string;
  /** Where that is shown. */
  problem: Problem;
  /** Is asked first; or what asks, where it depends. */
  question?: Question | (() => Promise<boolean>);
  class?: string;
  disabled?: boolean;
  /** For screen readers, where the text of the button alone does not say enough. */
  label?: string;
  children: ComponentChildren;
}

/** A button that does something of the service: it cannot be pressed twice, says what it is doing, and what went wrong. */
export function Action({ work, busy, failed, problem, question, label, children, ...attributes }: Props) {
  const isBusy = useSignal(false);
  const isSlow = useSignal(false);
  const act = async () => {
    if (isBusy.peek() || (question && !(await (typeof question === "function" ? question() : ask(question)))))
      return;
    isBusy.value = true;
    problem.value = null;
    const timer = setTimeout(() => {
      isSlow.value = true;
      underway.value = busy;
    }, SLOW_MS);
    try {
      const done = await work();
      if (typeof done === "string") announce(done);
    } catch (error) {
      problem.value = { title: failed, error };
    } finally {
      clearTimeout(timer);
      if (isSlow.peek()) underway.value = "";
      isSlow.value = false;
      isBusy.value = false;
    }
  };
  return (
    <button
      type="button"
      {...attributes}
      aria-label={label}
      aria-disabled={isBusy.value}
      aria-busy={isBusy.value}
      onClick={act}
    >
      {isSlow.value ? busy : children}
    </button>
  );
}
