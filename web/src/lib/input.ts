// Keys and gamepads of pages that play.

/** The part of the Gamepad API that is used. */
export interface Pad {
  axes: readonly number[];
  buttons: readonly { pressed: boolean; value?: number }[];
}

/** Listen to the keys of the page. `release` is called when keys are released elsewhere: in another window or tab. Return a
 * function that ends this. */
export function listenToKeys(onKeyDown: (event: KeyboardEvent) => void, onKeyUp: (event: KeyboardEvent) => void, release: () => void): () => void {
  addEventListener("keydown", onKeyDown);
  addEventListener("keyup", onKeyUp);
  addEventListener("blur", release);
  document.addEventListener("visibilitychange", release);
  return () => {
    removeEventListener("keydown", onKeyDown);
    removeEventListener("keyup", onKeyUp);
    removeEventListener("blur", release);
    document.removeEventListener("visibilitychange", release);
  };
}

/** The gamepads, which send no events: read them once in each display frame. */
export class Pads {
  all: readonly Pad[] = [];
  private held = new Set<number>();

  /** Read the gamepads, and call a function for each of some buttons that has just been pressed. */
  poll<Command>(commands: readonly (readonly [button: number, command: Command])[], pressed: (command: Command, button: number) => void): void {
    this.all = [...(navigator.getGamepads?.() ?? [])].filter((pad) => pad != null);
    const before = this.held;
    this.held = new Set();
    for (const pad of this.all)
      for (const [button, command] of commands) {
        if (!pad.buttons[button]?.pressed) continue;
        if (!before.has(button) && !this.held.has(button)) pressed(command, button);
        this.held.add(button);
      }
  }
}
