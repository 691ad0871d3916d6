import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { announce, underway } from "./announcements.js";
import { ask, type Question } from "./dialog.js";
import { ProblemCard } from "./problem.js";
import { SLOW_MS } from "./request.js";

/** The error of the last failed action in a part of the page, or null if there is none. */
export type Problem = Signal<{ title: string; error: unknown } | null>;

export const useProblem = (): Problem => useSignal<Problem["value"]>(null);

export function ProblemOf({ problem: { value } }: { problem: Problem }) {
  return value === null ? null : <ProblemCard {...value} />;
}

interface Props {
  /** The action. If it returns a text, the page announces that text. */
  work: () => Promise<unknown>;
  /** Text of the button while the action is in progress, such as "Releasing…". */
  busy: string;
  /** The title above the error, such as "The device was not released." */
  failed: string;
  /** Receives the error if the action fails. */
  problem: Problem;
  /** A question before the action, or a function that decides whether to ask. */
  question?: Question | (() => Promise<boolean>);
  class?: string;
  disabled?: boolean;
  /** The name for screen readers, if the text of the button is not enough. */
  label?: string;
  children: ComponentChildren;
}

/** A button that runs an action of the service. It prevents a second press during the action, and shows progress and errors. */
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
