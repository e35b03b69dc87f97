/** Give the focus back to a page whose keys play, after a finger or the mouse has pressed one of its buttons: otherwise
 * Space, which may be a key of play, presses that button again. A button that was pressed by a key keeps the focus.
 * Return a function that ends this. */
export function keepFocus(page: HTMLElement): () => void {
  const onClick = (event: MouseEvent): void => {
    const byPointer = event.detail > 0;
    if (byPointer && event.target instanceof Element && event.target.closest("button")) page.focus({ preventScroll: true });
  };
  page.addEventListener("click", onClick);
  return () => page.removeEventListener("click", onClick);
}
