import { expect, it } from "vitest";
import { agoText, durationText, signedText } from "../lib/format";
import { stepsCsv } from "./csv";
import { curvePath } from "./curve";
import { arenaText } from "./episodeText";
import { causeText, eventText, eventTexts, toneOf } from "./events";
import { arenaSegment, convexHull, hexColour, pathData } from "./floorPlan";

it("keeps the peaks of a long curve", () => {
  const values = Array.from({ length: 10000 }, (_, index) => (index === 7777 ? 5 : 0));
  const path = curvePath(values, 0, 5, 1000, 100, 100);
  expect(path.split("L").length).toBeLessThan(220);
  expect(path).toContain(" 0.0");
  expect(curvePath([], 0, 1, 10, 10)).toBe("");
});

it("outlines points, converts colours and draws paths", () => {
  const square: [number, number][] = [[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]];
  expect(convexHull(square)).toHaveLength(4);
  expect(hexColour([1, 0, 0.2140411])).toBe("#ff007f");
  expect(pathData([1, 2], [3, 4], 10)).toBe("M1.00 7.00L2.00 6.00");
});

it("describes events, numbers and times", () => {
  const event = { kind: "collected", step: 3, thing: 1, name: "BadGoal", animal: 0, details: { value: -1 } };
  expect(eventText(event)).toBe("ate BadGoal (−1.00)");
  expect(toneOf(event)).toBe("bad");
  expect(eventText({ ...event, kind: "ended", details: { cause: "time" } })).toBe("the episode ends: time limit reached");
  expect(["next", "a_new_cause", null].map(causeText)).toEqual(["skipped", "a new cause", "not finished"]);
  expect(signedText(-0.001)).toBe("0.00");
  expect(durationText(45)).toBe("0.9 s");
  expect(durationText(50 * 125)).toBe("2 min 05 s");
  expect(agoText(0, 3600 * 1000 * 3)).toBe("3 hr ago");
  expect(agoText("nonsense")).toBe("");
});

it("keeps arenas that merge apart", () => {
  const event = (kind: string, step: number) => ({ kind, step, thing: null, name: null, animal: null, details: {} });
  const events = [event("started", 0), event("collected", 2), event("merged", 2), event("started", 2), event("ended", 4)];
  expect(eventTexts(events).filter((text) => text.includes("begins"))).toEqual(["the episode begins", "the next arena begins"]);
  const steps = [0, 1, 2, 3, 4];
  expect(arenaSegment(steps, events, 1)).toEqual({ from: 0, to: 2, events: events.slice(0, 2) });
  expect(arenaSegment(steps, events, 2)).toEqual({ from: 2, to: 5, events: events.slice(3) });
  expect(arenaSegment(steps, events.slice(0, 2), 4)).toMatchObject({ from: 0, to: 5 });
});

it("names the arena of a task that has several", () => {
  expect(arenaText({ arena: 1, arenas: 3 })).toBe("Arena 2 of 3");
  expect(arenaText({ arena: 0, arenas: 1 })).toBe("");
  expect(arenaText({ arena: 0, arenas: null })).toBe("");
});

it("writes the steps as CSV", () => {
  const steps = { step: [0, 1], x: [1.5, 2], z: [0, 0], reward: [0, -1], health: [100, 99], total: [0, -1], heading: [0, 6], time_ms: [0, 20] };
  expect(stepsCsv(steps)).toBe("step,x,z,reward,health,total,heading,time_ms\n0,1.5,0,0,100,0,0,0\n1,2,0,-1,99,-1,6,20\n");
});
