// @vitest-environment jsdom
import { afterEach, describe, expect, test, vi } from "vitest";
import { actionOf, defaultBindings } from "../../lib/keys";
import { Controls, movesOfPad, movesOfStick } from "./controls";

describe("a stick", () => {
  test.each([
    [0, 0, 0], [0.2, 0.1, 0], [0, -1, 3], [0, 1, 6], [1, 0, 1], [-1, 0, 2], [0.7, -0.7, 4], [-0.7, -0.7, 5],
    [0.7, 0.7, 7], [-0.7, 0.7, 8], [0.2, -0.9, 3],
  ])("pushed to %f, %f is action %i", (x, y, action) => expect(actionOf(movesOfStick(x, y))).toBe(action));
});

test("a gamepad has a stick and arrows", () => {
  const pad = (axes: number[], ...down: number[]) => ({
    axes, buttons: Array.from({ length: 16 }, (_, i) => ({ pressed: down.includes(i) })),
  });
  expect(actionOf(movesOfPad(pad([0, -1])))).toBe(3);
  expect(actionOf(movesOfPad(pad([0, 0], 12, 15)))).toBe(4);
  expect(actionOf(movesOfPad(pad([0, 0])))).toBe(0);
});

describe("keys", () => {
  let controls: Controls;
  const commands: string[] = [];
  const key = (type: string, code: string, more = {}) => dispatchEvent(new KeyboardEvent(type, { code, ...more }));
  const begin = () => {
    commands.length = 0;
    controls = new Controls(defaultBindings, (command) => commands.push(command), () => {});
  };
  afterEach(() => {
    controls.detach();
    vi.unstubAllGlobals();
  });

  test("are held until they are released", () => {
    begin();
    key("keydown", "KeyW");
    key("keydown", "KeyD");
    expect(controls.action).toBe(4);
    key("keyup", "KeyD");
    expect(controls.action).toBe(3);
  });

  test("are all released when the window loses the focus", () => {
    begin();
    key("keydown", "KeyS");
    dispatchEvent(new Event("blur"));
    expect(controls.action).toBe(0);
  });

  test("give commands once, and none with Ctrl or while the menu is open", () => {
    begin();
    key("keydown", "KeyR");
    key("keydown", "KeyR", { repeat: true });
    key("keydown", "KeyR", { ctrlKey: true });
    controls.enabled = false;
    key("keydown", "KeyC");
    expect(commands).toEqual(["restart"]);
    key("keydown", "KeyW");
    expect(controls.action).toBe(0);
  });

  test("a gamepad's buttons give commands once", () => {
    begin();
    const buttons = Array.from({ length: 16 }, (_, i) => ({ pressed: i === 3 }));
    vi.stubGlobal("navigator", { getGamepads: () => [null, { axes: [1, 0], buttons }] });
    controls.poll();
    controls.poll();
    expect(commands).toEqual(["view"]);
    expect(controls.action).toBe(1);
  });

  test.each([["Start", 9], ["B", 1]])("a gamepad's %s closes the menu that Start opened, once", (_, closing) => {
    begin();
    let down: number[] = [];
    const buttons = () => Array.from({ length: 16 }, (_, i) => ({ pressed: down.includes(i) }));
    vi.stubGlobal("navigator", { getGamepads: () => [{ axes: [0, 0], buttons: buttons() }] });
    const press = (...held: number[]) => {
      down = held;
      controls.poll();
      controls.poll();
    };
    press(9);
    controls.enabled = false; // the menu is open
    press();
    press(3);
    press();
    press(closing);
    controls.enabled = true;
    controls.poll();
    expect(commands).toEqual(["menu", "menu"]);
  });
});
