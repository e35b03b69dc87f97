import { describe, expect, test } from "vitest";
import { keptFrom, Ledger } from "./ledger";

function played(): Ledger {
  const ledger = new Ledger();
  ledger.begin("one", 0);
  for (let step = 1; step <= 10; step++) ledger.see(step, step % 9);
  return ledger;
}

describe("what is not yet stored", () => {
  test("is kept until the server says it is", () => {
    const ledger = played();
    expect(ledger.unsaved).toBe(10);
    ledger.store("one", 4);
    expect(ledger.unsaved).toBe(6);
    expect(ledger.kept()).toEqual({ episode: "one", stored: 4, actions: [5, 6, 7, 8, 0, 1] });
    ledger.store("another", 9);
    ledger.store("one", 2);
    expect(ledger.stored).toBe(4);
  });

  test("is told only up to the first step nobody saw", () => {
    const ledger = played();
    ledger.see(12, 3);
    expect(ledger.kept()!.actions.length).toBe(10);
    ledger.see(11, 3);
    expect(ledger.kept()!.actions.length).toBe(12);
  });

  test("survives a reload", () => {
    const text = JSON.stringify(played().kept());
    const after = new Ledger();
    after.restore(keptFrom(text)!);
    expect(after.kept()).toEqual(played().kept());
    expect(after.unsaved).toBe(10);
  });

  test("ends with its episode", () => {
    const ledger = played();
    ledger.begin("two", 0);
    expect(ledger.kept()).toEqual({ episode: "two", stored: 0, actions: [] });
  });

  test("goes on where the server went on", () => {
    const ledger = played();
    ledger.store("one", 4);
    ledger.begin("one", 8);
    expect(ledger.kept()!.actions).toEqual([5, 6, 7, 8]);
    ledger.see(9, 2);
    expect(ledger.kept()!.actions).toEqual([5, 6, 7, 8, 2]);
  });

  test("is what was done, whatever a later message says of the same step", () => {
    const ledger = played();
    ledger.store("one", 4);
    ledger.begin("one", 10); // rebuilt
    ledger.see(10, 0);
    expect(ledger.kept()!.actions).toEqual([5, 6, 7, 8, 0, 1]);
  });

  test("holds what comes after a rebuild that knew more than the page", () => {
    const ledger = played();
    ledger.store("one", 4);
    ledger.begin("one", 13); // steps 11 to 13 were stored before the page had seen them
    ledger.store("one", 13);
    ledger.see(13, 7);
    ledger.see(14, 2);
    expect(ledger.kept()).toEqual({ episode: "one", stored: 13, actions: [2] });
    expect(ledger.unsaved).toBe(1);
  });

  test("nonsense was never kept", () => {
    for (const text of [null, "{", "7", '{"episode": 3}', '{"episode": "a", "stored": -1, "actions": []}',
      '{"episode": "a", "stored": 1, "actions": [9]}']) expect(keptFrom(text)).toBeNull();
  });
});
