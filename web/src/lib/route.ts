// The pages and their addresses: /, /play, /watch, /infant/play, /intuitions, /intuitions/judge, /recordings, /recordings/ID, /training and /training/NAME.
export interface Route {
  page: "home" | "play" | "watch" | "infant" | "intuitions" | "judge" | "recordings" | "recording" | "training";
  id: string;
  query: URLSearchParams;
}

/** The title of the arena that is played if no task is named. */
export const EVERYTHING_TITLE = "One of every thing";

const TITLES: Record<Route["page"], string> = {
  home: "Tasks",
  play: "Play",
  watch: "Watch",
  infant: "Infant",
  intuitions: "Intuitions",
  judge: "Judge",
  recordings: "Recordings",
  recording: "Recording",
  training: "Training",
};

export function routeOf(location: { pathname: string; search: string }): Route {
  const [first = "", id = ""] = location.pathname.split("/").filter(Boolean).map(decodePiece);
  const query = new URLSearchParams(location.search);
  if (first === "play" || first === "watch") return { page: first, id: "", query };
  if (first === "infant") return { page: "infant", id: "", query };
  if (first === "intuitions") return { page: id === "judge" ? "judge" : "intuitions", id: "", query };
  if (first === "recordings") return { page: id ? "recording" : "recordings", id, query };
  if (first === "training") {
    const name = location.pathname.replace(/^\/training\/?/, "").split("/").map(decodePiece).join("/");
    return { page: "training", id: name, query };
  }
  return { page: "home", id: "", query };
}

// A piece that is not a valid encoding, such as `%zz`, is used as it is.
function decodePiece(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

export function titleOf(route: Route): string {
  return `${TITLES[route.page]} · Puzzlebox`;
}

/** Return the participant's id in a query. It is kept in the address only, so that it does not outlive the visit. */
export function participantOf(query: URLSearchParams): string | null {
  return query.get("participant");
}

/** The pages that a participant's link may open: they have no links to other pages. */
export const FOR_PARTICIPANTS: readonly Route["page"][] = ["play", "infant", "judge"];

/** Return whether the page was opened by a participant's link, which gives access to one task only. */
export function isParticipantLink(query = new URLSearchParams(location.search)): boolean {
  return query.has("key");
}

/** Return an address of the studio with the participant's id added, unless it has one already. */
export function forParticipant(address: string, participant = participantOf(new URLSearchParams(location.search))): string {
  if (participant === null) return address;
  const [path, query = ""] = address.split("?");
  const parameters = new URLSearchParams(query);
  if (!parameters.has("participant")) parameters.set("participant", participant);
  return `${path}?${parameters}`;
}

/** Show the page of an address without loading the document again. */
export function goTo(address: string): void {
  history.pushState(null, "", forParticipant(address));
  dispatchEvent(new PopStateEvent("popstate"));
}

/** The page of the arena that plays a task; without a task, the arena with one of every thing. */
export function playAddress(task: string | null): string {
  return forParticipant(task === null ? "/play" : `/play?task=${encodeURIComponent(task)}`);
}

export function watchAddress(task: string | null, agent?: string): string {
  const query = new URLSearchParams();
  if (task !== null) query.set("task", task);
  if (agent) query.set("agent", agent);
  return forParticipant(`/watch${query.size ? `?${query}` : ""}`);
}

export function recordingAddress(id: string | number): string {
  return forParticipant(`/recordings/${encodeURIComponent(String(id))}`);
}

/** The page of all runs of training, or of one of them. */
export function trainingAddress(name = ""): string {
  return forParticipant(name ? `/training/${name.split("/").map(encodeURIComponent).join("/")}` : "/training");
}

/** Return the studio's address that a click leads to, or null if the browser should handle the click itself: links to
 * other hosts, downloads, new tabs, and events that were handled already. */
export function internalAddress(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return null;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link?.href || link.target || link.hasAttribute("download") || link.origin !== location.origin) return null;
  if (link.pathname.startsWith("/api/") || (link.hash && link.pathname === location.pathname)) return null;
  return link.pathname + link.search;
}
