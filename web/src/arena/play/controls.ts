// The input of the play page: keys, gamepad and on-screen stick, combined into one action.
import { listenToKeys, Pads, type Pad } from "../../lib/input";
import { actionOf, MOVES, movesOfKeys, roleOf, type Bindings, type Command, type Move, type Moves } from "../../lib/keys";

/** The smallest deflection of a stick that counts, as a share of the full one. */
const SMALLEST_DEFLECTION = 0.35;
/** The smallest share of the deflection along an axis that counts as a move along it. */
const SMALLEST_SHARE = 0.42;
/** Buttons in the standard layout of the Gamepad API: the four arrows, and those that give commands. */
const PAD_MOVES: Record<Move, number> = { forward: 12, back: 13, left: 14, right: 15 };
const PAD_COMMANDS: readonly [number, Command][] = [[3, "view"], [8, "restart"], [1, "next"], [9, "menu"]];
/** The buttons that close an open menu: Start, and the one that means "back" (B or ○). */
const PAD_CLOSE_BUTTONS = [9, 1];

/** Return the moves of a stick that is pushed to (x to the right, y down). */
export function movesOfStick(x: number, y: number): Moves {
  const length = Math.hypot(x, y);
  const off = length < SMALLEST_DEFLECTION;
  return {
    forward: !off && -y > SMALLEST_SHARE * length,
    back: !off && y > SMALLEST_SHARE * length,
    left: !off && -x > SMALLEST_SHARE * length,
    right: !off && x > SMALLEST_SHARE * length,
  };
}

export function movesOfPad(pad: Pad): Moves {
  const moves = movesOfStick(pad.axes[0] ?? 0, pad.axes[1] ?? 0);
  for (const move of MOVES) moves[move] ||= pad.buttons[PAD_MOVES[move]]?.pressed ?? false;
  return moves;
}

/** Return the moves that any of the sources requests. */
function combine(sources: Moves[]): Moves {
  const moves = {} as Moves;
  for (const move of MOVES) moves[move] = sources.some((each) => each[move]);
  return moves;
}

export class Controls {
  /** False while the menu is open, which then receives the keys. */
  enabled = true;
  private readonly heldKeys = new Set<string>();
  private readonly pads = new Pads();
  private stickMoves = movesOfStick(0, 0);
  private padMoves = movesOfStick(0, 0);
  readonly detach: () => void;

  constructor(
    private readonly bindings: () => Bindings,
    private readonly command: (command: Command) => void,
    private readonly changed: () => void,
  ) {
    this.detach = listenToKeys(this.onKeyDown, this.onKeyUp, this.release);
  }

  get action(): number {
    if (!this.enabled) return 0;
    return actionOf(combine([movesOfKeys(this.heldKeys, this.bindings()), this.stickMoves, this.padMoves]));
  }

  /** Set the position of the on-screen stick. */
  pushStick(x: number, y: number): void {
    this.stickMoves = movesOfStick(x, y);
    this.changed();
  }

  /** Read the gamepads. Call this once in each display frame. */
  poll(): void {
    this.pads.poll(PAD_COMMANDS, (command, button) => {
      if (this.enabled) this.command(command);
      else if (PAD_CLOSE_BUTTONS.includes(button)) this.command("menu");
    });
    this.padMoves = combine(this.pads.all.map(movesOfPad));
    this.changed();
  }

  private readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.enabled) return;
    const role = roleOf(event.code, this.bindings());
    if (!role) return;
    // Enter and Space press the focused button.
    if ((event.code === "Enter" || event.code === "Space") && event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    if (event.repeat) return;
    if (role === "forward" || role === "back" || role === "left" || role === "right") {
      this.heldKeys.add(event.code);
      this.changed();
    } else this.command(role);
  };

  private readonly onKeyUp = (event: KeyboardEvent): void => {
    if (this.heldKeys.delete(event.code)) this.changed();
  };

  /** Release all keys and the stick, as when the window loses the focus. */
  readonly release = (): void => {
    this.heldKeys.clear();
    this.stickMoves = movesOfStick(0, 0);
    this.changed();
  };
}
