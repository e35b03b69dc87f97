import { describe, expect, test } from "vitest";
import { actionOf, bindingsFrom, defaultBindings, keyName, movesOfKeys, rebind, roleOf } from "./keys";

const action = (...codes: string[]) => actionOf(movesOfKeys(new Set(codes), defaultBindings()));

describe("the action of the held keys", () => {
  test.each([
    [[], 0], [["KeyD"], 1], [["KeyA"], 2], [["KeyW"], 3], [["KeyW", "KeyD"], 4], [["KeyW", "KeyA"], 5],
    [["KeyS"], 6], [["KeyS", "KeyD"], 7], [["KeyS", "KeyA"], 8],
    [["ArrowUp", "ArrowRight"], 4], [["ArrowDown", "ArrowLeft"], 8],
  ])("%j is %i", (codes, expected) => expect(action(...(codes as string[]))).toBe(expected));

  test("backwards takes precedence over forwards, and left over right", () => {
    expect(action("KeyW", "KeyS")).toBe(6);
    expect(action("KeyA", "KeyD")).toBe(2);
    expect(action("KeyW", "KeyS", "KeyA", "KeyD")).toBe(8);
  });
});

describe("the roles of keys", () => {
  test("the default keys", () => {
    const bindings = defaultBindings();
    expect(["KeyC", "KeyR", "KeyN", "Escape", "KeyF", "KeyP"].map((code) => roleOf(code, bindings))).toEqual(
      ["view", "restart", "next", "menu", "fullscreen", "picture"],
    );
    expect(roleOf("KeyZ", bindings)).toBeNull();
  });

  test("a key that is assigned to another role loses the one it had", () => {
    const changed = rebind(defaultBindings(), "forward", 0, "KeyC");
    expect(changed.forward).toEqual(["KeyC", "ArrowUp"]);
    expect(changed.view).toEqual([]);
    expect(roleOf("KeyW", changed)).toBeNull();
  });

  test("the menu always has a key", () => {
    expect(rebind(defaultBindings(), "view", 0, "Escape").menu).toEqual(["Escape"]);
    expect(bindingsFrom({ menu: [] }).menu).toEqual(["Escape"]);
  });

  test("invalid stored bindings are replaced by the default", () => {
    expect(bindingsFrom("nonsense")).toEqual(defaultBindings());
    expect(bindingsFrom({ forward: [7], back: ["KeyJ"] })).toMatchObject({ forward: ["KeyW", "ArrowUp"], back: ["KeyJ"] });
  });

  test("keys have readable names", () => {
    expect(["KeyW", "ArrowLeft", "Escape", "Digit1"].map(keyName)).toEqual(["W", "←", "Esc", "1"]);
  });
});
