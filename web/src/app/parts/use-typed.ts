import { useEffect, useState } from "preact/hooks";

/** Delay of the search after the last key. */
const TYPING_MS = 250;

/** Returns the trimmed text of a search when the user pauses typing. */
export function useTyped(text: string): string {
  const [wanted, setWanted] = useState(text.trim());
  useEffect(() => {
    const timer = setTimeout(() => setWanted(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return wanted;
}
