// The keys of the page that plays a pair.

export type Command = { kind: "toggle" } | { kind: "step"; by: number } | { kind: "trial"; number: number } | { kind: "before" | "after" | "start" | "end" | "slower" | "faster" };

/** Return what a key means; null if it means nothing here. `trials` is the number of trials. */
export function commandOf(key: string, shift: boolean, trials: number): Command | null {
  if (/^[1-9]$/.test(key)) return Number(key) <= trials ? { kind: "trial", number: Number(key) - 1 } : null;
  switch (key) {
    case " ":
    case "k":
      return { kind: "toggle" };
    case "ArrowLeft":
      return { kind: "step", by: shift ? -10 : -1 };
    case "ArrowRight":
      return { kind: "step", by: shift ? 10 : 1 };
    case "PageUp":
      return { kind: "before" };
    case "PageDown":
      return { kind: "after" };
    case "t":
    case "T":
      return { kind: "trial", number: trials - 1 };
    case "Home":
      return { kind: "start" };
    case "End":
      return { kind: "end" };
    case "-":
      return { kind: "slower" };
    case "+":
    case "=":
      return { kind: "faster" };
    default:
      return null;
  }
}

/** Return the next slower or faster speed of a list, or the same one at its end. */
export function otherSpeed(speeds: readonly number[], speed: number, faster: boolean): number {
  const place = speeds.indexOf(speed) + (faster ? 1 : -1);
  return speeds[Math.max(0, Math.min(speeds.length - 1, place))];
}

/** Return whether a key belongs to the element that has the focus: a field, or a button that Space presses. */
export function isForElement(key: string, element: Element | null): boolean {
  if (element === null) return false;
  const name = element.tagName;
  if (name === "INPUT" && (element as HTMLInputElement).type === "range") return key !== " " && key !== "k" && !/^[1-9tT]$/.test(key);
  if (name === "INPUT" || name === "SELECT" || name === "TEXTAREA") return true;
  return (name === "BUTTON" || name === "A") && (key === " " || key === "Enter");
}
