import { describe, expect, test } from "vitest";
import { actionOf, bindingsFrom, defaultBindings, keyName, rebound, roleOf, wishOf } from "./keys";

const action = (...codes: string[]) => actionOf(wishOf(new Set(codes), defaultBindings()));

describe("the action of the keys held", () => {
  test.each([
    [[], 0], [["KeyD"], 1], [["KeyA"], 2], [["KeyW"], 3], [["KeyW", "KeyD"], 4], [["KeyW", "KeyA"], 5],
    [["KeyS"], 6], [["KeyS", "KeyD"], 7], [["KeyS", "KeyA"], 8],
    [["ArrowUp", "ArrowRight"], 4], [["ArrowDown", "ArrowLeft"], 8],
  ])("%j is %i", (codes, expected) => expect(action(...(codes as string[]))).toBe(expected));

  test("backwards counts over forwards and left over right", () => {
    expect(action("KeyW", "KeyS")).toBe(6);
    expect(action("KeyA", "KeyD")).toBe(2);
    expect(action("KeyW", "KeyS", "KeyA", "KeyD")).toBe(8);
  });
});

describe("which key does what", () => {
  test("the keys everybody knows", () => {
    const bindings = defaultBindings();
    expect(["KeyC", "KeyR", "KeyN", "Escape", "KeyF", "KeyP"].map((code) => roleOf(code, bindings))).toEqual(
      ["view", "restart", "next", "menu", "fullscreen", "picture"],
    );
    expect(roleOf("KeyZ", bindings)).toBeNull();
  });

  test("a key given to another role leaves the one it had", () => {
    const changed = rebound(defaultBindings(), "forward", 0, "KeyC");
    expect(changed.forward).toEqual(["KeyC", "ArrowUp"]);
    expect(changed.view).toEqual([]);
    expect(roleOf("KeyW", changed)).toBeNull();
  });

  test("the menu is never without a key", () => {
    expect(rebound(defaultBindings(), "view", 0, "Escape").menu).toEqual(["Escape"]);
    expect(bindingsFrom({ menu: [] }).menu).toEqual(["Escape"]);
  });

  test("what makes no sense is not kept", () => {
    expect(bindingsFrom("nonsense")).toEqual(defaultBindings());
    expect(bindingsFrom({ forward: [7], back: ["KeyJ"] })).toMatchObject({ forward: ["KeyW", "ArrowUp"], back: ["KeyJ"] });
  });

  test("names to read", () => {
    expect(["KeyW", "ArrowLeft", "Escape", "Digit1"].map(keyName)).toEqual(["W", "←", "Esc", "1"]);
  });
});
