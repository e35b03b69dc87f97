// The controls of an infant task: the server says which there are and which keys and parts of a gamepad move them.
import { listenToKeys, Pads, type Pad } from "../lib/input";

export interface Control {
  name: string;
  more: string; // what 1 does
  less: string; // what -1 does
  more_keys: string[]; // by their place on the keyboard (`KeyboardEvent.code`)
  less_keys: string[];
  axis: number | null; // of a gamepad in the standard layout; it is -1 for `more`
  more_buttons: number[];
  less_buttons: number[];
}

/** Commands that are not part of an action. */
export const COMMANDS = { KeyM: "mute", KeyV: "view", KeyP: "pause", Escape: "pause", KeyN: "next", KeyT: "again" } as const;
export type Command = (typeof COMMANDS)[keyof typeof COMMANDS];
const PAD_COMMANDS: readonly [number, Command][] = [[9, "pause"], [8, "again"]];
/** The smallest deflection of a stick that counts, and the finest value that is sent. */
const SMALLEST_DEFLECTION = 0.15;
const FINEST = 128;

/** Return the value of each control: of keys and screen buttons (`held`, by the code of the key), and of gamepads. */
export function valuesOf(controls: readonly Control[], held: ReadonlySet<string>, pads: readonly Pad[]): number[] {
  return controls.map((control) => {
    const any = (keys: readonly string[]) => (keys.some((code) => held.has(code)) ? 1 : 0);
    let value = any(control.more_keys) - any(control.less_keys);
    for (const pad of pads) {
      const pressed = (buttons: readonly number[]) => Math.max(0, ...buttons.map((each) => strengthOf(pad.buttons[each])));
      value += pressed(control.more_buttons) - pressed(control.less_buttons);
      const axis = control.axis === null ? 0 : (pad.axes[control.axis] ?? 0);
      if (Math.abs(axis) >= SMALLEST_DEFLECTION) value -= axis;
    }
    // Adding 0 makes 0 of -0.
    return Math.round(Math.max(-1, Math.min(1, value)) * FINEST) / FINEST + 0;
  });
}

// Triggers are pressed by degrees; a button that says nothing else is pressed fully.
function strengthOf(button: { pressed: boolean; value?: number } | undefined): number {
  if (!button) return 0;
  return button.value || (button.pressed ? 1 : 0);
}

export class Input {
  controls: readonly Control[] = [];
  private readonly held = new Set<string>();
  private readonly pads = new Pads();
  readonly detach: () => void;

  constructor(private readonly changed: (values: number[]) => void, private readonly command: (command: Command) => void) {
    this.detach = listenToKeys(this.onKeyDown, this.onKeyUp, this.release);
  }

  get values(): number[] {
    return valuesOf(this.controls, this.held, this.pads.all);
  }

  /** Read the gamepads. Call this once in each display frame. */
  poll(): void {
    this.pads.poll(PAD_COMMANDS, this.command);
    if (this.pads.all.length > 0) this.changed(this.values);
  }

  /** Press or release a key by a button on the screen. */
  press(code: string, down: boolean): void {
    if (down) this.held.add(code);
    else this.held.delete(code);
    this.changed(this.values);
  }

  readonly release = (): void => {
    this.held.clear();
    this.changed(this.values);
  };

  private readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    // Enter and Space press the focused button or link.
    if (event.code === "Space" && event.target instanceof HTMLElement && event.target.closest("button, a")) return;
    const used = this.controls.some((each) => each.more_keys.includes(event.code) || each.less_keys.includes(event.code));
    const command = used ? undefined : (COMMANDS as Record<string, Command>)[event.code];
    if (!used && !command) return;
    event.preventDefault();
    if (event.repeat) return;
    if (command) this.command(command);
    else this.press(event.code, true);
  };

  private readonly onKeyUp = (event: KeyboardEvent): void => {
    if (this.held.has(event.code)) this.press(event.code, false);
  };
}

function isTyping(event: KeyboardEvent): boolean {
  return event.target instanceof HTMLElement && event.target.closest("input, select, textarea") !== null;
}
