// @vitest-environment jsdom
import { afterEach, expect, test } from "vitest";
import { forParticipant, goTo, isParticipantLink, playAddress, recordingAddress, watchAddress } from "./route";

afterEach(() => history.replaceState(null, "", "/"));

test("addresses without a participant stay unchanged", () => {
  expect(playAddress("a/b")).toBe("/play?task=a%2Fb");
  expect(forParticipant("/recordings")).toBe("/recordings");
});

test("a participant stays in the address from page to page", () => {
  history.replaceState(null, "", "/?participant=P07");
  expect(playAddress(null)).toBe("/play?participant=P07");
  expect(playAddress("a/b")).toBe("/play?task=a%2Fb&participant=P07");
  expect(watchAddress("food", "random")).toBe("/watch?task=food&agent=random&participant=P07");
  expect(recordingAddress("e1")).toBe("/recordings/e1?participant=P07");
  goTo("/recordings");
  expect(location.pathname + location.search).toBe("/recordings?participant=P07");
});

test("a participant's link is recognised by its key", () => {
  expect(isParticipantLink(new URLSearchParams("task=a&participant=P07"))).toBe(false);
  expect(isParticipantLink(new URLSearchParams("task=a&participant=P07&key="))).toBe(true);
  history.replaceState(null, "", "/play?key=x");
  expect(isParticipantLink()).toBe(true);
});

test("an address that names another participant keeps that one", () => {
  history.replaceState(null, "", "/?participant=P07");
  expect(forParticipant("/play?participant=P08")).toBe("/play?participant=P08");
});

test("an invalid id is kept unchanged, so that the server can refuse it", () => {
  history.replaceState(null, "", "/?participant=a%20%26%20b");
  expect(new URLSearchParams(playAddress(null).split("?")[1]).get("participant")).toBe("a & b");
});
