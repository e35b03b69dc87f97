// The keys of the play page: what each key does, and which action the held keys stand for.

export const MOVES = ["forward", "back", "left", "right"] as const;
export const COMMANDS = ["view", "restart", "next", "menu", "fullscreen", "picture"] as const;
export type Move = (typeof MOVES)[number];
export type Command = (typeof COMMANDS)[number];
export type Role = Move | Command;

/** The keys of each role, by their position on the keyboard (`KeyboardEvent.code`). */
export type Bindings = Record<Role, string[]>;

export const ROLE_NAMES: Record<Role, string> = {
  forward: "Forwards",
  back: "Backwards",
  left: "Turn left",
  right: "Turn right",
  view: "Change the view",
  restart: "Restart",
  next: "Next arena",
  menu: "Menu",
  fullscreen: "Full screen",
  picture: "Save a picture",
};

export function defaultBindings(): Bindings {
  return {
    forward: ["KeyW", "ArrowUp"],
    back: ["KeyS", "ArrowDown"],
    left: ["KeyA", "ArrowLeft"],
    right: ["KeyD", "ArrowRight"],
    view: ["KeyC"],
    restart: ["KeyR"],
    next: ["KeyN"],
    menu: ["Escape"],
    fullscreen: ["KeyF"],
    picture: ["KeyP"],
  };
}

/** The moves that are requested at one moment, by keys, gamepad or stick. */
export type Moves = Record<Move, boolean>;

export function movesOfKeys(held: ReadonlySet<string>, bindings: Bindings): Moves {
  const moves = {} as Moves;
  for (const move of MOVES) moves[move] = bindings[move].some((code) => held.has(code));
  return moves;
}

/** Return the action of some moves: 3 x move + turn. Backwards takes precedence over forwards, and left over right
 * (docs/original/playing.md#keys). */
export function actionOf(moves: Moves): number {
  const move = moves.back ? 2 : moves.forward ? 1 : 0;
  const turn = moves.left ? 2 : moves.right ? 1 : 0;
  return 3 * move + turn;
}

export function roleOf(code: string, bindings: Bindings): Role | null {
  for (const role of [...MOVES, ...COMMANDS]) if (bindings[role].includes(code)) return role;
  return null;
}

/** Return the bindings with a key assigned to a role, in place of the key at `slot`. The key loses the role it had before. */
export function rebind(bindings: Bindings, role: Role, slot: number, code: string): Bindings {
  const changed = {} as Bindings;
  for (const each of [...MOVES, ...COMMANDS]) changed[each] = bindings[each].filter((other) => other !== code);
  const own = bindings[role].slice();
  own[Math.min(slot, own.length)] = code;
  changed[role] = own.filter((other, i) => own.indexOf(other) === i);
  // Without a key the menu cannot be opened again.
  if (changed.menu.length === 0) changed.menu = ["Escape"];
  return changed;
}

/** Return the bindings in a stored value; roles that are missing or invalid get their default. */
export function bindingsFrom(stored: unknown): Bindings {
  const bindings = defaultBindings();
  if (typeof stored !== "object" || stored === null) return bindings;
  for (const role of [...MOVES, ...COMMANDS]) {
    const codes = (stored as Record<string, unknown>)[role];
    if (Array.isArray(codes) && codes.every((code) => typeof code === "string") && codes.length <= 3) bindings[role] = codes;
  }
  if (bindings.menu.length === 0) bindings.menu = ["Escape"];
  return bindings;
}

const SPECIAL: Record<string, string> = {
  ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", Space: "Space", Slash: "/",
};

/** Return the name of a key, as printed on a keyboard. */
export function keyName(code: string): string {
  return SPECIAL[code] ?? code.replace(/^(Key|Digit)/, "").replace(/^Numpad/, "Num ");
}
