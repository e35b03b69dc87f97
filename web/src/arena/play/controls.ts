// Keys, gamepad and on-screen stick, as one action.
import { actionOf, roleOf, wishOf, type Bindings, type Command, type Wish } from "../../lib/keys";

/** How far a stick must be pushed to count, and how far off an axis still counts as along it. */
const PUSHED = 0.35;
const ASLANT = 0.42;
/** Standard gamepads: the four arrows, and what else is of use. */
const PAD = { up: 12, down: 13, left: 14, right: 15 } as const;
const PAD_COMMANDS: readonly [number, Command][] = [[3, "view"], [8, "restart"], [1, "next"], [9, "menu"]];
/** While the menu is open: Start closes it, and so does the button that means "back" (B or ○). */
const PAD_CLOSES = [9, 1];

/** What a stick pushed to (x to the right, y down) asks for. */
export function wishOfStick(x: number, y: number): Wish {
  const length = Math.hypot(x, y);
  const off = length < PUSHED;
  return {
    forward: !off && -y > ASLANT * length,
    back: !off && y > ASLANT * length,
    left: !off && -x > ASLANT * length,
    right: !off && x > ASLANT * length,
  };
}

/** The part of the Gamepad API that is read. */
export interface Pad {
  axes: readonly number[];
  buttons: readonly { pressed: boolean }[];
}

export function wishOfPad(pad: Pad): Wish {
  const pushed = wishOfStick(pad.axes[0] ?? 0, pad.axes[1] ?? 0);
  const down = (button: number) => pad.buttons[button]?.pressed ?? false;
  return {
    forward: pushed.forward || down(PAD.up),
    back: pushed.back || down(PAD.down),
    left: pushed.left || down(PAD.left),
    right: pushed.right || down(PAD.right),
  };
}

export class Controls {
  /** While the menu is open keys are the menu's. */
  enabled = true;
  private readonly held = new Set<string>();
  private stick: Wish = wishOfStick(0, 0);
  private padDown = new Set<number>();
  private pad: Wish = wishOfStick(0, 0);

  constructor(
    private readonly bindings: () => Bindings,
    private readonly command: (command: Command) => void,
    private readonly changed: () => void,
  ) {
    addEventListener("keydown", this.down);
    addEventListener("keyup", this.up);
    addEventListener("blur", this.release);
    document.addEventListener("visibilitychange", this.release);
  }

  detach(): void {
    removeEventListener("keydown", this.down);
    removeEventListener("keyup", this.up);
    removeEventListener("blur", this.release);
    document.removeEventListener("visibilitychange", this.release);
  }

  get action(): number {
    if (!this.enabled) return 0;
    const keys = wishOf(this.held, this.bindings());
    const all = [keys, this.stick, this.pad];
    const any = (move: keyof Wish) => all.some((wish) => wish[move]);
    return actionOf({ forward: any("forward"), back: any("back"), left: any("left"), right: any("right") });
  }

  push(x: number, y: number): void {
    this.stick = wishOfStick(x, y);
    this.changed();
  }

  /** Gamepads send no events: ask once a frame. */
  poll(): void {
    const pads = navigator.getGamepads?.() ?? [];
    let wish = wishOfStick(0, 0);
    const down = new Set<number>();
    for (const pad of pads) {
      if (!pad) continue;
      const own = wishOfPad(pad);
      wish = {
        forward: wish.forward || own.forward, back: wish.back || own.back,
        left: wish.left || own.left, right: wish.right || own.right,
      };
      for (const [button, command] of PAD_COMMANDS) {
        if (!pad.buttons[button]?.pressed) continue;
        down.add(button);
        if (this.padDown.has(button)) continue;
        if (this.enabled) this.command(command);
        else if (PAD_CLOSES.includes(button)) this.command("menu");
      }
    }
    this.padDown = down;
    this.pad = wish;
    this.changed();
  }

  private readonly down = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.enabled) return;
    const role = roleOf(event.code, this.bindings());
    if (!role) return;
    // A button that has the focus keeps its own keys.
    if ((event.code === "Enter" || event.code === "Space") && event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    if (event.repeat) return;
    if (role === "forward" || role === "back" || role === "left" || role === "right") {
      this.held.add(event.code);
      this.changed();
    } else this.command(role);
  };

  private readonly up = (event: KeyboardEvent): void => {
    if (this.held.delete(event.code)) this.changed();
  };

  /** Whoever looks elsewhere holds no key. */
  readonly release = (): void => {
    this.held.clear();
    this.stick = wishOfStick(0, 0);
    this.changed();
  };
}
