import { type ComponentChildren, createContext, type JSX } from "preact";
import { useCallback, useContext, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useFirstFocus } from "./first-focus.js";
import { wordsOf } from "./problem.js";
import { fieldSentences, type LabelOf } from "./refusal-words.js";
import { SLOW_MS } from "./request.js";
import { useUnsaved } from "./unsaved.js";

/** Error messages by field name. Fields of nested objects have names such as `athlete_profile.weight`. */
type FieldMessages = ReadonlyMap<string, string>;

/** Returns the label of a field in a form. */
export const labelIn =
  (form: HTMLFormElement): LabelOf =>
  (name) => {
    const field = name === "" ? null : form.elements.namedItem(name);
    const labels = field instanceof Element && "labels" in field ? (field as HTMLInputElement).labels : null;
    return labels?.[0]?.textContent ?? undefined;
  };

/** Thrown for errors of the form, as sentences by field. Errors that belong to no field have an empty name. */
function messagesFor(form: HTMLFormElement, error: unknown): FieldMessages {
  const sentences = fieldSentences(error, labelIn(form));
  return sentences.size === 0 ? new Map([["", wordsOf(error)]]) : sentences;
}

const Messages = createContext<FieldMessages>(new Map());

/** The values in a form by field name. */
export type Values = (name: string) => string;

interface FormProps {
  /**
   * Submits the form. The form shows the errors that it throws, and messages of the service at their fields. `changed` has the names of
   * the fields that the user has changed.
   */
  onSubmit: (values: Values, form: HTMLFormElement, changed: ReadonlySet<string>) => Promise<unknown>;
  /** Text of the button that sends the form. */
  action: string;
  /** Called when the user presses the second button. */
  onCancel?: () => void;
  /** Whether the form changes existing data. If it does, the page asks before the user leaves it without saving. */
  isEditor?: boolean;
  /** Whether the user cannot undo the action. The button then has the warning style. */
  isDangerous?: boolean;
  children: ComponentChildren;
}

/** The values of the fields by name. */
type Content = ReadonlyMap<string, FormDataEntryValue>;

const contentOf = (form: HTMLFormElement): Content => new Map(new FormData(form));

/** Returns the names of the fields that differ from the saved values. Fields that have disappeared since the form was sent are ignored. */
function changedIn(form: HTMLFormElement, saved: Content): Set<string> {
  const content = contentOf(form);
  // a box that is not checked has no value
  const present = [...saved.keys()].filter((name) => form.elements.namedItem(name) !== null);
  return new Set(
    [...content.keys(), ...present].filter((name) => (content.get(name) ?? "") !== (saved.get(name) ?? "")),
  );
}

/** A form with labelled fields. It prevents a second request while one is in progress, and keeps its values if the service refuses them. */
export function Form({
  onSubmit,
  action,
  onCancel,
  isEditor = false,
  isDangerous = false,
  children,
}: FormProps) {
  const [messages, setMessages] = useState<FieldMessages>(new Map());
  const [isBusy, setBusy] = useState(false);
  const [isSlow, setSlow] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const saved = useRef<Content>(new Map());
  /** The names of the fields with input since the form was sent. */
  const touched = useRef(new Set<string>());
  /** Replaced after a save, with the sent values of the fields that have changed since. */
  const [overtaken, setOvertaken] = useState<Content>(new Map());
  // An effect after the next frame would treat early input of the user as saved. After a save, the fields already have the new values.
  useLayoutEffect(() => {
    if (form.current !== null) saved.current = new Map([...contentOf(form.current), ...overtaken]);
  }, [overtaken]);
  const isUnsaved = useCallback(
    () => form.current !== null && changedIn(form.current, saved.current).size > 0,
    [],
  );
  useUnsaved(isEditor ? isUnsaved : null);

  const submit = async (element: HTMLFormElement) => {
    setBusy(true);
    setMessages(new Map());
    touched.current.clear();
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    try {
      const data = new FormData(element);
      const sent = contentOf(element);
      await onSubmit((name) => String(data.get(name) ?? ""), element, changedIn(element, saved.current));
      setOvertaken(new Map([...touched.current].map((name) => [name, sent.get(name) ?? ""])));
    } catch (error) {
      setMessages(messagesFor(element, error));
      // waits until the messages are rendered, because screen readers then read them with the field
      setTimeout(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
    } finally {
      clearTimeout(timer);
      setSlow(false);
      setBusy(false);
    }
  };

  return (
    <Messages.Provider value={messages}>
      <form
        ref={form}
        class="form"
        method="post"
        aria-busy={isBusy}
        // the error of the old value does not apply to the new one
        onInput={({ target }) => {
          const { name } = target as HTMLInputElement;
          touched.current.add(name);
          if (messages.has(name)) setMessages(new Map([...messages].filter(([field]) => field !== name)));
        }}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) submit(event.currentTarget);
        }}
      >
        {children}
        <div class="form-problem" role="alert">
          {messages.has("") ? <p class="bad">{messages.get("")}</p> : null}
        </div>
        <div class="form-buttons">
          <button type="submit" class={isDangerous ? "dangerous" : "primary"} aria-disabled={isBusy}>
            {action}
          </button>
          {onCancel === undefined ? null : (
            <button type="button" onClick={onCancel}>
              Cancel
            </button>
          )}
          <span class="muted" role="status">
            {isSlow ? "One moment…" : null}
          </span>
        </div>
      </form>
    </Messages.Provider>
  );
}

interface FieldProps {
  /** The name of the field in the request, with dots for nested objects. */
  name: string;
  label: string;
  /** Explanation below the field. */
  hint?: ComponentChildren;
  /** Problem of the current value that is known before the form is sent. */
  problem?: string | undefined;
}

interface Tied {
  id: string;
  name: string;
  "aria-invalid"?: true;
  "aria-describedby"?: string;
}

/** A labelled field. `children` renders its control with the attributes that connect it to label, hint and message. */
export function Labelled({
  name,
  label,
  hint,
  problem,
  children,
}: FieldProps & { children: (tied: Tied) => JSX.Element }) {
  const id = useId();
  const message = useContext(Messages).get(name) ?? problem;
  const described = [message === undefined ? "" : `${id}-message`, hint === undefined ? "" : `${id}-hint`];
  const describedBy = described.filter(Boolean).join(" ");
  return (
    <div class="form-field">
      <label for={id}>{label}</label>
      {children({
        id,
        name,
        ...(message === undefined ? {} : { "aria-invalid": true }),
        ...(describedBy === "" ? {} : { "aria-describedby": describedBy }),
      })}
      {message === undefined ? null : (
        <p class="bad" id={`${id}-message`}>
          {message}
        </p>
      )}
      {hint === undefined ? null : (
        <p class="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface InputProps extends FieldProps {
  type?: "text" | "password" | "email" | "url" | "number" | "date" | "datetime-local";
  /** Initial value of the field. */
  initial?: string | number | null | undefined;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  min?: number | string;
  max?: number | string;
  step?: number | "any";
  pattern?: string;
  /** Explanation of `pattern`. */
  title?: string;
  placeholder?: string;
  autoComplete?: string;
  /** Whether this field gets the focus when the form appears. */
  isFirst?: boolean;
  /** Value of the field, if other code changes it. This requires `onValue`. */
  value?: string;
  /** Called when the user types. */
  onValue?: (value: string) => void;
}

export function Field({
  name,
  label,
  hint,
  problem,
  type = "text",
  initial,
  isFirst,
  value,
  onValue,
  ...attributes
}: InputProps) {
  const input = useRef<HTMLInputElement>(null);
  useFirstFocus(input, isFirst === true);
  return (
    <Labelled name={name} label={label} hint={hint} problem={problem}>
      {(tied) => (
        <input
          ref={input}
          type={type as "text"}
          {...(value === undefined ? { defaultValue: initial ?? "" } : { value })}
          onInput={({ currentTarget }) => onValue?.(currentTarget.value)}
          {...attributes}
          {...tied}
        />
      )}
    </Labelled>
  );
}

interface ChoiceProps extends FieldProps {
  choices: readonly (readonly [value: string, text: string])[];
  initial?: string | null | undefined;
  required?: boolean;
  /** Called when the user selects an option. */
  onValue?: (value: string) => void;
}

export function Choice({ name, label, hint, choices, initial, required = false, onValue }: ChoiceProps) {
  return (
    <Labelled name={name} label={label} hint={hint}>
      {(tied) => (
        <select
          required={required}
          onChange={({ currentTarget }) => onValue?.(currentTarget.value)}
          {...tied}
        >
          {choices.map(([value, text]) => (
            <option key={value} value={value} selected={value === initial}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
