// @vitest-environment jsdom
// A connection to a simulated server: its messages at the start, after a loss, and after a reload.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection, type Listener, type PlayRequest } from "./connection";

class FakeSocket {
  static all: FakeSocket[] = [];
  static OPEN = 1;
  readyState = 1;
  sent: any[] = [];
  onopen: () => void = () => {};
  onmessage: (event: { data: unknown }) => void = () => {};
  onclose: (event: { code: number }) => void = () => {};
  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {}
  receive(message: object): void {
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
const request: PlayRequest = { task: "foraging", arena: null, seed: 7, agent: null, participant: "P07" };
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
function connect(): [Connection, FakeSocket] {
  const connection = new Connection(request, listener, "ws://fake/ws");
  open.push(connection);
  const socket = FakeSocket.all[FakeSocket.all.length - 1];
  socket.onopen();
  return [connection, socket];
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  sessionStorage.clear();
  FakeSocket.all = [];
  links.length = sentences.length = troubles.length = 0;
});
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function playTwelve(socket: FakeSocket): void {
  socket.receive({ type: "episode", episode: "e1", step: 0 });
  socket.frame(0, 0);
  for (let step = 1; step <= 12; step++) socket.frame(step, 3);
  socket.receive({ type: "stored", episode: "e1", step: 10 });
}

test("the first message is the request, and keys are sent only when they change", () => {
  const [connection, socket] = connect();
  expect(socket.sent).toEqual([{ type: "start", ...request }]);
  connection.act(3);
  connection.act(3);
  connection.act(0);
  expect(socket.sent.slice(1)).toEqual([{ type: "keys", key: 1, action: 3 }, { type: "keys", key: 2, action: 0 }]);
});

test("after a loss it resumes with the unsaved steps, after longer and longer delays", () => {
  const [, socket] = connect();
  playTwelve(socket);
  socket.onclose({ code: 1006 });
  expect(links[links.length - 1]).toBe("lost");
  vi.advanceTimersByTime(250);
  FakeSocket.all[1].onclose({ code: 1006 });
  vi.advanceTimersByTime(499);
  expect(FakeSocket.all.length).toBe(2);
  vi.advanceTimersByTime(1);
  FakeSocket.all[2].onopen();
  expect(FakeSocket.all[2].sent).toEqual([
    { type: "resume", episode: "e1", step: 10, actions: [3, 3], task: "foraging", arena: null, seed: 7, agent: null, participant: "P07" },
    { type: "keys", key: 1, action: 0 },
  ]);
});

test("a reload resumes the episode, leaving the page does not", () => {
  const [first, socket] = connect();
  playTwelve(socket);
  dispatchEvent(new Event("pagehide"));
  const [second, again] = connect();
  expect(again.sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
  again.receive({ type: "episode", episode: "e1", step: 12 });
  first.close();
  second.close();
  const [, fresh] = connect();
  expect(fresh.sent[0].type).toBe("start");
});

test("a resumed episode keeps its arena, unless a participant plays", () => {
  for (const [participant, arena] of [[null, 4], ["P07", null]] as const) {
    const connection = new Connection({ ...request, participant }, listener, "ws://fake/ws");
    open.push(connection);
    const socket = FakeSocket.all[FakeSocket.all.length - 1];
    socket.onopen();
    socket.receive({ type: "episode", episode: "e2", step: 0, position: 3 });
    socket.onclose({ code: 1006 });
    vi.advanceTimersByTime(250);
    const again = FakeSocket.all[FakeSocket.all.length - 1];
    again.onopen();
    expect(again.sent[0]).toMatchObject({ type: "resume", episode: "e2", step: 0, actions: [], arena });
  }
});

test("a hidden page reports it, also after a loss", () => {
  const [connection, socket] = connect();
  connection.hide(false);
  connection.hide(true);
  connection.hide(true);
  expect(socket.sent.slice(1)).toEqual([{ type: "hidden", on: true }]);
  socket.onclose({ code: 1006 });
  vi.advanceTimersByTime(250);
  FakeSocket.all[1].onopen();
  expect(FakeSocket.all[1].sent).toContainEqual({ type: "hidden", on: true });
});

test("a connection made after the end of a task has no unsaved steps", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.receive({ type: "finished", title: "Foraging", again: true });
  expect(connection.ledger.unsaved).toBe(2);
  socket.onclose({ code: 1006 });
  vi.advanceTimersByTime(250);
  FakeSocket.all[1].onopen();
  FakeSocket.all[1].receive({ type: "finished", title: "Foraging", again: true });
  expect(connection.ledger.unsaved).toBe(0);
  expect(links[links.length - 1]).toBe("open");
});

test("a refused request is not repeated", () => {
  const [, socket] = connect();
  socket.receive({ type: "error", message: "there is no task 'foragin'" });
  socket.onclose({ code: 1008 });
  vi.advanceTimersByTime(10_000);
  expect(FakeSocket.all.length).toBe(1);
  expect(links[links.length - 1]).toBe("refused");
});

test("a page that finds all places taken tries again, and loses nothing", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.onclose({ code: 1006 });
  vi.advanceTimersByTime(250);
  const full = { type: "error", message: "all 64 places are taken; try again in a few minutes", full: true };
  FakeSocket.all[1].receive(full);
  FakeSocket.all[1].onclose({ code: 4002 });
  expect(links[links.length - 1]).toBe("full");
  vi.advanceTimersByTime(30_000);
  expect(FakeSocket.all.length).toBe(3);
  FakeSocket.all[2].receive(full);
  FakeSocket.all[2].onclose({ code: 4002 });
  // Or at once, on request.
  connection.retry();
  expect(FakeSocket.all.length).toBe(4);
  FakeSocket.all[3].onopen();
  expect(FakeSocket.all[3].sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
  vi.advanceTimersByTime(30_000);
  expect(FakeSocket.all.length).toBe(4);
});

test("unsaved steps outlive a refusal, and are discarded only on request", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.receive({ type: "error", message: "the studio made a mistake (KeyError); start again" });
  socket.onclose({ code: 1008 });
  expect(links[links.length - 1]).toBe("refused");
  expect(connection.ledger.unsaved).toBe(2);
  dispatchEvent(new Event("pagehide"));
  const [, reloaded] = connect();
  expect(reloaded.sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
  connection.startOver();
  const restarted = FakeSocket.all[FakeSocket.all.length - 1];
  restarted.onopen();
  expect(restarted.sent[0].type).toBe("start");
  expect(connection.ledger.unsaved).toBe(0);
});

test("unsaved steps are kept when the page is left while nothing can be stored", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.receive({ type: "recording", trouble: "the disk is full; make room on it" });
  connection.close();
  const [, again] = connect();
  expect(again.sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
});

test("an episode that the server cannot resume is not requested again", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.receive({ type: "error", message: "there is no episode e1 to resume; start again", gone: true });
  socket.onclose({ code: 1008 });
  expect(connection.ledger.unsaved).toBe(0);
  const [, reloaded] = connect();
  expect(reloaded.sent[0].type).toBe("start");
});

test("a server that cannot record at the moment is asked again, with all unsaved steps", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.receive({ type: "error", message: "nothing can be recorded at the moment: the disk is full; make room on it", retry: true });
  socket.onclose({ code: 1008 });
  expect(links[links.length - 1]).toBe("later");
  expect(sentences[sentences.length - 1]).toBe("nothing can be recorded at the moment: the disk is full; make room on it");
  expect(connection.ledger.unsaved).toBe(2);
  vi.advanceTimersByTime(250);
  FakeSocket.all[1].onopen();
  expect(FakeSocket.all[1].sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
});

test("the reason why nothing is recorded is reported until recording works again or the connection is lost", () => {
  const [, socket] = connect();
  playTwelve(socket);
  socket.receive({ type: "recording", trouble: "the disk is full; make room on it" });
  socket.receive({ type: "recording", trouble: null });
  socket.receive({ type: "recording", trouble: "the disk is full; make room on it" });
  socket.onclose({ code: 1006 });
  expect(troubles).toEqual(["the disk is full; make room on it", "", "the disk is full; make room on it", ""]);
});

test("an episode taken over by another tab is not resumed by itself", () => {
  const [connection, socket] = connect();
  playTwelve(socket);
  socket.receive({ type: "error", message: "this task is open in another tab", elsewhere: true });
  socket.onclose({ code: 4001 });
  vi.advanceTimersByTime(10_000);
  expect(FakeSocket.all.length).toBe(1);
  expect(links[links.length - 1]).toBe("elsewhere");
  // But it is on request.
  connection.takeOver();
  connection.takeOver();
  expect(FakeSocket.all.length).toBe(2);
  FakeSocket.all[1].onopen();
  expect(FakeSocket.all[1].sent[0]).toMatchObject({ type: "resume", episode: "e1", step: 10, actions: [3, 3] });
});
