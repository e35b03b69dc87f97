// Numbers a page shows to whoever drives it with a program (tests, measurements): `window.puzzlebox`.
export function tell(numbers: object | null): void {
  const page = window as unknown as { puzzlebox?: object };
  if (numbers) page.puzzlebox = numbers;
  else delete page.puzzlebox;
}
