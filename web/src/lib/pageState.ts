/** Publish values of a page as `window.puzzlebox`, for programs that drive it (tests, measurements); return a function that removes them. */
export function publishState(state: object): () => void {
  const page = window as unknown as { puzzlebox?: object };
  page.puzzlebox = state;
  return () => delete page.puzzlebox;
}
