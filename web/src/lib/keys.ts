// Which key does what, and which action the keys held mean.

export const MOVES = ["forward", "back", "left", "right"] as const;
export const COMMANDS = ["view", "restart", "next", "menu", "fullscreen", "picture"] as const;
export type Move = (typeof MOVES)[number];
export type Command = (typeof COMMANDS)[number];
export type Role = Move | Command;

/** For each role the keys that play it, by their place on the keyboard (`KeyboardEvent.code`). */
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

/** What a player wants, whatever it is told with. */
export type Wish = Record<Move, boolean>;

export function wishOf(held: ReadonlySet<string>, bindings: Bindings): Wish {
  const wish = {} as Wish;
  for (const move of MOVES) wish[move] = bindings[move].some((code) => held.has(code));
  return wish;
}

/** 3 x move + turn; backwards counts over forwards and left over right (docs/original/playing.md#keys). */
export function actionOf(wish: Wish): number {
  const move = wish.back ? 2 : wish.forward ? 1 : 0;
  const turn = wish.left ? 2 : wish.right ? 1 : 0;
  return 3 * move + turn;
}

export function roleOf(code: string, bindings: Bindings): Role | null {
  for (const role of [...MOVES, ...COMMANDS]) if (bindings[role].includes(code)) return role;
  return null;
}

/** Let a key play a role, in place of the key that did (`slot`); whatever it did before, it does no more. */
export function rebound(bindings: Bindings, role: Role, slot: number, code: string): Bindings {
  const changed = {} as Bindings;
  for (const each of [...MOVES, ...COMMANDS]) changed[each] = bindings[each].filter((other) => other !== code);
  const own = bindings[role].slice();
  own[Math.min(slot, own.length)] = code;
  changed[role] = own.filter((other, i) => own.indexOf(other) === i);
  // Without a key the menu cannot be opened again.
  if (changed.menu.length === 0) changed.menu = ["Escape"];
  return changed;
}

/** What was kept, as far as it makes sense. */
export function bindingsFrom(kept: unknown): Bindings {
  const made = defaultBindings();
  if (typeof kept !== "object" || kept === null) return made;
  for (const role of [...MOVES, ...COMMANDS]) {
    const codes = (kept as Record<string, unknown>)[role];
    if (Array.isArray(codes) && codes.every((code) => typeof code === "string") && codes.length <= 3) made[role] = codes;
  }
  if (made.menu.length === 0) made.menu = ["Escape"];
  return made;
}

const SPECIAL: Record<string, string> = {
  ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", Space: "Space", Slash: "/",
};

/** How a key is called. */
export function keyName(code: string): string {
  return SPECIAL[code] ?? code.replace(/^(Key|Digit)/, "").replace(/^Numpad/, "Num ");
}
