// Numbers and times as text.
import { STEPS_PER_SECOND } from "./time";

/** Return a number with its sign (a real minus) and a fixed number of decimals. */
export function signedText(value: number, digits = 2): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

/** Return the length of some physics steps in seconds, or in minutes and seconds. */
export function durationText(steps: number): string {
  const tenths = Math.round((steps * 10) / STEPS_PER_SECOND);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(tenths / 10);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

/** Return the date of a time given as ISO text or as seconds since 1970. */
export function dateOf(time: string | number): Date {
  return new Date(typeof time === "number" ? time * 1000 : time);
}

/** Return how long ago a time was ("3 hr ago"), or its date if that is more than 30 days. */
export function agoText(time: string | number, now = Date.now()): string {
  const seconds = (now - dateOf(time).getTime()) / 1000;
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 90) return "just now";
  // Without the full stops of "min." and "hr.", which durations do not have either.
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
  const text = (count: number, unit: "minute" | "hour" | "day") => relative.format(-Math.round(count), unit).replace(".", "");
  if (seconds < 5400) return text(seconds / 60, "minute");
  if (seconds < 36 * 3600) return text(seconds / 3600, "hour");
  if (seconds < 30 * 86400) return text(seconds / 86400, "day");
  return dateOf(time).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}
