// The parameters in the address of a page.

/** Return a whole number of an address. Anything else stays a text: the server refuses it with a sentence that names it
 * and what is allowed, and reads numbers that JavaScript cannot hold exactly. */
export function numberOrText(text: string | null): number | string | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Return a sentence about the first parameter that a page does not know; "" if it knows all of them. */
export function unknownParameter(query: URLSearchParams, known: readonly string[]): string {
  const wrong = [...query.keys()].find((name) => !known.includes(name));
  return wrong === undefined ? "" : `the address has a parameter “${wrong.slice(0, 40)}”; allowed: ${known.join(", ")}`;
}
