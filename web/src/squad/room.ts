import { type Signal, signal } from "@preact/signals";

const beside = matchMedia("(min-width: 1700px)");
const half = matchMedia("(min-width: 1100px)");

/** The available space. It fits all parts, two parts, or a single one. */
export type Room = "all" | "two" | "one";
const roomNow = (): Room => (beside.matches ? "all" : half.matches ? "two" : "one");
export const room: Signal<Room> = signal(roomNow());
for (const query of [beside, half]) {
  query.addEventListener("change", () => {
    room.value = roomNow();
  });
}

const phone = matchMedia("(max-width: 600px)");
/** Whether the window is as narrow as a phone. */
export const isPhone: Signal<boolean> = signal(phone.matches);
phone.addEventListener("change", () => {
  isPhone.value = phone.matches;
});
