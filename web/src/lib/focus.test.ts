// @vitest-environment jsdom
import { expect, test } from "vitest";
import { keepFocus } from "./focus";

test("a button that a pointer has pressed does not keep the focus, and one that a key has pressed does", () => {
  document.body.innerHTML = `<main tabindex="-1"><button><b>Pause</b></button></main>`;
  const [page, button] = [document.querySelector("main")!, document.querySelector("button")!];
  const press = (detail: number) => {
    button.focus();
    button.firstChild!.dispatchEvent(new MouseEvent("click", { bubbles: true, detail }));
    return document.activeElement;
  };
  const end = keepFocus(page);
  expect(press(1)).toBe(page);
  expect(press(0)).toBe(button);
  end();
  expect(press(1)).toBe(button);
});
