import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useFirstFocus } from "./first-focus.js";

interface DialogProps {
  title: string;
  /** Called when the dialog is closed by Escape or its button. */
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal window. The page behind it is disabled while it is open. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    // the element that had the focus before the dialog
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="close" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </div>
      {children}
    </dialog>
  );
}

export interface Question {
  /** A question such as "Release this device?" */
  title: string;
  /** The consequences, and whether they can be undone. */
  text: string;
  /** Label of the button that confirms, such as "Release". */
  action: string;
  /** Whether the user can undo the action. The button then needs no warning style. */
  isHarmless?: boolean;
}

const asked = signal<{ question: Question; answer: (isYes: boolean) => void } | null>(null);

/**
 * Asks before an action that the user cannot undo.
 * @returns whether the user confirms
 */
export function ask(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    asked.peek()?.answer(false);
    asked.value = {
      question,
      answer: (isYes) => {
        asked.value = null;
        resolve(isYes);
      },
    };
  });
}

/** The open question. Rendered once in the page. */
export function Questions() {
  const current = asked.value;
  if (current === null) return null;
  return <QuestionDialog key={current} {...current} />;
}

function QuestionDialog({ question, answer }: { question: Question; answer: (isYes: boolean) => void }) {
  const cancel = useRef<HTMLButtonElement>(null);
  useFirstFocus(cancel);
  return (
    <Dialog title={question.title} onClose={() => answer(false)}>
      <p>{question.text}</p>
      <div class="dialog-buttons">
        <button type="button" ref={cancel} onClick={() => answer(false)}>
          Cancel
        </button>
        <button
          type="button"
          class={question.isHarmless ? "primary" : "dangerous"}
          onClick={() => answer(true)}
        >
          {question.action}
        </button>
      </div>
    </Dialog>
  );
}
