// The storage of this tab, which lives over a reload. The browser may forbid it; then a reload starts a new episode.

export function readStorage(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Store a text; null removes it. */
export function writeStorage(key: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // Nothing is stored.
  }
}
