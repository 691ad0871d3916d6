import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Returns the width and height of an element in CSS pixels. They follow changes, and are zero before the element is laid out. */
export function useSize(ref: RefObject<HTMLElement | null>): Signal<{ width: number; height: number }> {
  const size = useSignal({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      const { width: oldWidth, height: oldHeight } = size.peek();
      if (width !== oldWidth || height !== oldHeight) size.value = { width, height };
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, size]);
  return size;
}
