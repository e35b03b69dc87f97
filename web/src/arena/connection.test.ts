// A connection against a server made of paper: what it says first, after a loss, and after a reload.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection, type Listener, type Wanted } from "./connection";

class Paper {
  static all: Paper[] = [];
  static OPEN = 1;
  readyState = 1;
  sent: any[] = [];
  onopen: () => void = () => {};
  onmessage: (event: { data: unknown }) => void = () => {};
  onclose: (event: { code: number }) => void = () => {};
  constructor() {
    Paper.all.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {}
  hear(message: object): void {
    this.onmessage({ data: JSON.stringify(message) });
  }
  frame(step: number, action: number): void {
    const bytes = new ArrayBuffer(32);
    const view = new DataView(bytes);
    view.setUint8(0, 2);
    view.setUint32(4, step, true);
    view.setUint8(12, action);
    this.onmessage({ data: bytes });
  }
}
const wanted: Wanted = { task: "foraging", arena: null, seed: 7, agent: null, participant: "P07" };
const links: string[] = [];
const sentences: string[] = [];
const troubles: string[] = [];
const listener: Listener = {
  draw() {}, frame() {}, episode() {}, events() {}, ended() {},
  link: (state, sentence) => {
    links.push(state);
    sentences.push(sentence);
  },
  recording: (trouble) => troubles.push(trouble),
};
const open: Connection[] = [];
function connect(): [Connection, Paper] {
  const connection = new Connection(wanted, listener, "ws://paper/ws");
  open.push(connection);
  const socket = Paper.all[Paper.all.length - 1];
  socket.onopen();
  return [connection, socket];
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Paper);
  sessionStorage.clear();
  Paper.all = [];
  links.length = sentences.length = troubles.length = 0;
});
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function playTwelve(socket: Paper): void {
  socket.hear({ type: "episode", episode: "e1", step: 0 });
  socket.frame(0, 0);
  for (let step = 1; step <= 12; step++) socket.frame(step, 3);
  socket.hear({ type: "stored", episode: "e1", step: 10 });
}

test("it starts with what is wanted, and sends keys only when they change", () => {
  const [connection, socket] = connect();
  expect(socket.sent).toEqual([{ type: "start", ...wanted }]);
  connection.act(3);
  connection.act(3);
  connection.act(0);
  expect(socket.sent.slice(1)).toEqual([{ type: "keys", key: 1, action: 3 }, { type: "keys", key: 2, action: 0 }]);
});

test("after a loss it goes on with what was not stored, later and later", () => {
  const [, socket] = connect();
  playTwelve(socket);
  socket.onclose({ code: 1006 });
  expect(links[links.length - 1]).toBe("lost");
  vi.advanceTimersByTime(250);
  Paper.all[1].onclose({ code: 1006 });
  vi.advanceTimersByTime(499);
  expect(Paper.all.length).toBe(2);
  vi.advanceTimersByTime(1);
  Paper.all[2].onopen();
  expect(Paper.all[2].sent).toEqual([
    { type: "resume", episode: "e1", step: 10, actions: [3, 3], task: "foraging", arena: null, seed: 7, agent: null, participant: "P07" },
    { type: "keys", key: 1, action: 0 },
  ]);
});

test("a reload goes on, leaving does not", () => {
  const [first, socket] = connect();
  playTwelve(socket);
  dispatchEvent(new Event("pagehide"));
  const [second, again] = connect();
  expect(again.sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
  again.hear({ type: "episode", episode: "e1", step: 12 });
  first.close();
  second.close();
  const [, fresh] = connect();
  expect(fresh.sent[0].type).toBe("start");
});

test("whoever waits in an arena comes back to it, unless the recordings know where a participant is", () => {
  for (const [participant, arena] of [[null, 4], ["P07", null]] as const) {
    const connection = new Connection({ ...wanted, participant }, listener, "ws://paper/ws");
    open.push(connection);
    const socket = Paper.all[Paper.all.length - 1];
    socket.onopen();
    socket.hear({ type: "episode", episode: "e2", step: 0, position: 3 });
    socket.onclose({ code: 1006 });
    vi.advanceTimersByTime(250);
    const again = Paper.all[Paper.all.length - 1];
    again.onopen();
    expect(again.sent[0]).toMatchObject({ type: "resume", episode: "e2", step: 0, actions: [], arena });
  }
});

test("a page that is hidden says so, also after a loss", () => {
  const [connection, socket] = connect();
  connection.hide(false);
  connection.hide(true);
  connection.hide(true);
  expect(socket.sent.slice(1)).toEqual([{ type: "hidden", on: true }]);
  socket.onclose({ code: 1006 });
  vi.advanceTimersByTime(250);
  Paper.all[1].onopen();
  expect(Paper.all[1].sent).toContainEqual({ type: "hidden", on: true });
});

test("whoever comes back to the end of a task has nothing unsaved", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.hear({ type: "finished", title: "Foraging", again: true });
  expect(connection.ledger.unsaved).toBe(2);
  socket.onclose({ code: 1006 });
  vi.advanceTimersByTime(250);
  Paper.all[1].onopen();
  Paper.all[1].hear({ type: "finished", title: "Foraging", again: true });
  expect(connection.ledger.unsaved).toBe(0);
  expect(links[links.length - 1]).toBe("open");
});

test("what the server refuses is not tried again", () => {
  const [, socket] = connect();
  socket.hear({ type: "error", message: "there is no task 'foragin'" });
  socket.onclose({ code: 1008 });
  vi.advanceTimersByTime(10_000);
  expect(Paper.all.length).toBe(1);
  expect(links[links.length - 1]).toBe("refused");
});

test("whoever finds all places taken asks again, and loses nothing", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.onclose({ code: 1006 });
  vi.advanceTimersByTime(250);
  const full = { type: "error", message: "all 64 places are taken; try again in a few minutes", full: true };
  Paper.all[1].hear(full);
  Paper.all[1].onclose({ code: 4002 });
  expect(links[links.length - 1]).toBe("full");
  vi.advanceTimersByTime(30_000);
  expect(Paper.all.length).toBe(3);
  Paper.all[2].hear(full);
  Paper.all[2].onclose({ code: 4002 });
  // Or at once, where the player wants it.
  connection.retry();
  expect(Paper.all.length).toBe(4);
  Paper.all[3].onopen();
  expect(Paper.all[3].sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
  vi.advanceTimersByTime(30_000);
  expect(Paper.all.length).toBe(4);
});

test("steps that are not stored outlive a refusal, and are given up only when the player says so", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.hear({ type: "error", message: "the studio made a mistake (KeyError); start again" });
  socket.onclose({ code: 1008 });
  expect(links[links.length - 1]).toBe("refused");
  expect(connection.ledger.unsaved).toBe(2);
  dispatchEvent(new Event("pagehide"));
  const [, reloaded] = connect();
  expect(reloaded.sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
  connection.startAnew();
  const anew = Paper.all[Paper.all.length - 1];
  anew.onopen();
  expect(anew.sent[0].type).toBe("start");
  expect(connection.ledger.unsaved).toBe(0);
});

test("whoever leaves while nothing can be stored comes back to what was not", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.hear({ type: "recording", trouble: "the disk is full; make room on it" });
  connection.close();
  const [, again] = connect();
  expect(again.sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
});

test("an episode that is gone for good is not asked for again", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.hear({ type: "error", message: "there is no episode e1 to resume; start again", gone: true });
  socket.onclose({ code: 1008 });
  expect(connection.ledger.unsaved).toBe(0);
  const [, reloaded] = connect();
  expect(reloaded.sent[0].type).toBe("start");
});

test("a server that cannot record at the moment is asked again, with all that is not stored", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.hear({ type: "error", message: "nothing can be recorded at the moment: the disk is full; make room on it", retry: true });
  socket.onclose({ code: 1008 });
  expect(links[links.length - 1]).toBe("later");
  expect(sentences[sentences.length - 1]).toBe("nothing can be recorded at the moment: the disk is full; make room on it");
  expect(connection.ledger.unsaved).toBe(2);
  vi.advanceTimersByTime(250);
  Paper.all[1].onopen();
  expect(Paper.all[1].sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
});

test("why nothing is stored is passed on, until it is cured or the connection is lost", () => {
  const [, socket] = connect();
  playTwelve(socket);
  socket.hear({ type: "recording", trouble: "the disk is full; make room on it" });
  socket.hear({ type: "recording", trouble: null });
  socket.hear({ type: "recording", trouble: "the disk is full; make room on it" });
  socket.onclose({ code: 1006 });
  expect(troubles).toEqual(["the disk is full; make room on it", "", "the disk is full; make room on it", ""]);
});

test("an episode taken over by another tab is left to it", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.hear({ type: "error", message: "this task is open in another tab", elsewhere: true });
  socket.onclose({ code: 4001 });
  vi.advanceTimersByTime(10_000);
  expect(Paper.all.length).toBe(1);
  expect(links[links.length - 1]).toBe("elsewhere");
  // Unless the player wants it here.
  connection.takeOver();
  connection.takeOver();
  expect(Paper.all.length).toBe(2);
  Paper.all[1].onopen();
  expect(Paper.all[1].sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
});
