// What a player chose, kept in this browser.
import type { Quality } from "../scene/quality";
import { bindingsFrom, defaultBindings, type Bindings } from "./keys";

export type Choice = "auto" | "on" | "off";

export interface Settings {
  bindings: Bindings;
  quality: Quality;
  /** auto: as the system says. */
  reducedMotion: Choice;
  colourBlind: boolean;
  /** auto: where there is a touch screen. */
  stick: Choice;
}

const PLACE = "puzzlebox.settings";
const QUALITIES: readonly Quality[] = ["auto", 0, 1, 2, 3];
const CHOICES: readonly Choice[] = ["auto", "on", "off"];

export function defaultSettings(): Settings {
  return { bindings: defaultBindings(), quality: "auto", reducedMotion: "auto", colourBlind: false, stick: "auto" };
}

/** What was kept, as far as it makes sense. */
export function settingsFrom(text: string | null): Settings {
  const made = defaultSettings();
  let kept: Record<string, unknown>;
  try {
    kept = JSON.parse(text ?? "{}") ?? {};
  } catch {
    return made;
  }
  made.bindings = bindingsFrom(kept.bindings);
  if (QUALITIES.includes(kept.quality as Quality)) made.quality = kept.quality as Quality;
  if (CHOICES.includes(kept.reducedMotion as Choice)) made.reducedMotion = kept.reducedMotion as Choice;
  if (CHOICES.includes(kept.stick as Choice)) made.stick = kept.stick as Choice;
  made.colourBlind = kept.colourBlind === true;
  return made;
}

/** Storage may be forbidden; then settings last as long as the page. */
export function loadSettings(): Settings {
  try {
    return settingsFrom(localStorage.getItem(PLACE));
  } catch {
    return defaultSettings();
  }
}

export function saveSettings(settings: Settings): void {
  try {
    localStorage.setItem(PLACE, JSON.stringify(settings));
  } catch {
    // Kept for this page only.
  }
}

export function wantsReducedMotion(settings: Settings): boolean {
  if (settings.reducedMotion !== "auto") return settings.reducedMotion === "on";
  return typeof matchMedia === "function" && matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export function wantsStick(settings: Settings): boolean {
  if (settings.stick !== "auto") return settings.stick === "on";
  return typeof matchMedia === "function" && matchMedia("(any-pointer: coarse)").matches;
}
