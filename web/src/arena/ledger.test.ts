import { describe, expect, test } from "vitest";
import { Ledger, snapshotFrom } from "./ledger";

function ledgerOfTenSteps(): Ledger {
  const ledger = new Ledger();
  ledger.begin("one", 0);
  for (let step = 1; step <= 10; step++) ledger.note(step, step % 9);
  return ledger;
}

describe("the actions that are not stored", () => {
  test("are kept until the server confirms them", () => {
    const ledger = ledgerOfTenSteps();
    expect(ledger.unsaved).toBe(10);
    ledger.confirm("one", 4);
    expect(ledger.unsaved).toBe(6);
    expect(ledger.snapshot()).toEqual({ episode: "one", stored: 4, actions: [5, 6, 7, 8, 0, 1] });
    ledger.confirm("another", 9);
    ledger.confirm("one", 2);
    expect(ledger.stored).toBe(4);
  });

  test("are sent only up to the first step that is missing", () => {
    const ledger = ledgerOfTenSteps();
    ledger.note(12, 3);
    expect(ledger.snapshot()!.actions.length).toBe(10);
    ledger.note(11, 3);
    expect(ledger.snapshot()!.actions.length).toBe(12);
  });

  test("survive a reload", () => {
    const text = JSON.stringify(ledgerOfTenSteps().snapshot());
    const reloaded = new Ledger();
    reloaded.restore(snapshotFrom(text)!);
    expect(reloaded.snapshot()).toEqual(ledgerOfTenSteps().snapshot());
    expect(reloaded.unsaved).toBe(10);
  });

  test("end with their episode", () => {
    const ledger = ledgerOfTenSteps();
    ledger.begin("two", 0);
    expect(ledger.snapshot()).toEqual({ episode: "two", stored: 0, actions: [] });
  });

  test("continue from the step at which the server resumed", () => {
    const ledger = ledgerOfTenSteps();
    ledger.confirm("one", 4);
    ledger.begin("one", 8);
    expect(ledger.snapshot()!.actions).toEqual([5, 6, 7, 8]);
    ledger.note(9, 2);
    expect(ledger.snapshot()!.actions).toEqual([5, 6, 7, 8, 2]);
  });

  test("stay as first noted, whatever a later message says about the same step", () => {
    const ledger = ledgerOfTenSteps();
    ledger.confirm("one", 4);
    ledger.begin("one", 10); // rebuilt
    ledger.note(10, 0);
    expect(ledger.snapshot()!.actions).toEqual([5, 6, 7, 8, 0, 1]);
  });

  test("include the steps after a rebuild that had more steps than the page", () => {
    const ledger = ledgerOfTenSteps();
    ledger.confirm("one", 4);
    ledger.begin("one", 13); // steps 11 to 13 were stored before the page received them
    ledger.confirm("one", 13);
    ledger.note(13, 7);
    ledger.note(14, 2);
    expect(ledger.snapshot()).toEqual({ episode: "one", stored: 13, actions: [2] });
    expect(ledger.unsaved).toBe(1);
  });

  test("are read only from a valid text", () => {
    for (const text of [null, "{", "7", '{"episode": 3}', '{"episode": "a", "stored": -1, "actions": []}',
      '{"episode": "a", "stored": 1, "actions": [9]}']) expect(snapshotFrom(text)).toBeNull();
  });
});
