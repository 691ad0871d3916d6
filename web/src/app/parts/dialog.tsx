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

/** A window over the page: what is behind it cannot be used until it is closed. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    // where the user was before
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
  /** As in "Release this device?" */
  title: string;
  /** What happens then, and what cannot be undone. */
  text: string;
  /** Label of the confirming button, such as "Release". */
  action: string;
  /** Whether it can be undone, so that the button warns of nothing. */
  isHarmless?: boolean;
}

const asked = signal<{ question: Question; answer: (isYes: boolean) => void } | null>(null);

/** Asks before something that cannot be undone. @returns whether the user wants it */
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

/** The question that is being asked; stands once in the page. */
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
