// The settings chosen in the menu of the play page, stored in this browser.
import type { Quality } from "../scene/quality";
import { bindingsFrom, defaultBindings, type Bindings } from "./keys";

export type Choice = "auto" | "on" | "off";

export interface Settings {
  bindings: Bindings;
  quality: Quality;
  /** auto: as set in the system. */
  reducedMotion: Choice;
  colourBlind: boolean;
  /** auto: shown on touch screens. */
  stick: Choice;
}

const STORAGE_KEY = "puzzlebox.settings";
const QUALITIES: readonly Quality[] = ["auto", 0, 1, 2, 3];
const CHOICES: readonly Choice[] = ["auto", "on", "off"];

export function defaultSettings(): Settings {
  return { bindings: defaultBindings(), quality: "auto", reducedMotion: "auto", colourBlind: false, stick: "auto" };
}

/** Return the settings in a stored text; those that are missing or invalid get their default. */
export function settingsFrom(text: string | null): Settings {
  const settings = defaultSettings();
  let stored: Record<string, unknown>;
  try {
    stored = JSON.parse(text ?? "{}") ?? {};
  } catch {
    return settings;
  }
  settings.bindings = bindingsFrom(stored.bindings);
  if (QUALITIES.includes(stored.quality as Quality)) settings.quality = stored.quality as Quality;
  if (CHOICES.includes(stored.reducedMotion as Choice)) settings.reducedMotion = stored.reducedMotion as Choice;
  if (CHOICES.includes(stored.stick as Choice)) settings.stick = stored.stick as Choice;
  settings.colourBlind = stored.colourBlind === true;
  return settings;
}

/** Return the stored settings; the default ones if the browser forbids storage. */
export function loadSettings(): Settings {
  try {
    return settingsFrom(localStorage.getItem(STORAGE_KEY));
  } catch {
    return defaultSettings();
  }
}

export function saveSettings(settings: Settings): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(settings));
  } catch {
    // The browser forbids storage: the settings last as long as the page.
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
