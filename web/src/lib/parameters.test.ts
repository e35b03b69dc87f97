import { expect, test } from "vitest";
import { numberOrText, unknownParameter } from "./parameters";

test("a number in an address is a number, and anything else is left for the server to refuse", () => {
  expect(["0", "7", "999999999999999"].map(numberOrText)).toEqual([0, 7, 999_999_999_999_999]);
  expect(["x", "-1", "1.5", "", "9223372036854775807"].map(numberOrText)).toEqual(["x", "-1", "1.5", "", "9223372036854775807"]);
  expect(numberOrText(null)).toBeNull();
});

test("a parameter that a page does not know gets a sentence", () => {
  const known = ["task", "seed"];
  expect(unknownParameter(new URLSearchParams("task=a&seed=1"), known)).toBe("");
  expect(unknownParameter(new URLSearchParams("task=a&sed=1"), known)).toBe("the address has a parameter “sed”; allowed: task, seed");
});
