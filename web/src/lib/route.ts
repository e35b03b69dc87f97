// Pages by address: /, /play, /watch, /recordings and /recordings/ID. Each page is loaded when it is first needed.
export interface Route {
  page: "home" | "play" | "watch" | "recordings" | "recording";
  id: string;
  query: URLSearchParams;
}

const TITLES: Record<Route["page"], string> = {
  home: "Tasks",
  play: "Play",
  watch: "Watch",
  recordings: "Recordings",
  recording: "Recording",
};

export function routeOf(location: { pathname: string; search: string }): Route {
  const [first = "", id = ""] = location.pathname.split("/").filter(Boolean).map(decoded);
  const query = new URLSearchParams(location.search);
  if (first === "play" || first === "watch") return { page: first, id: "", query };
  if (first === "recordings") return { page: id ? "recording" : "recordings", id, query };
  return { page: "home", id: "", query };
}

// An address somebody mistyped (`%zz`) is looked up as it stands.
function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

export function titleOf(route: Route): string {
  return `${TITLES[route.page]} · Puzzlebox`;
}

/** Who plays, by the address: it stays there from page to page, so that nothing is kept for whoever comes next. */
export function participantOf(query: URLSearchParams): string | null {
  return query.get("participant");
}

/** Whether the page was opened by a participant's link: it leads nowhere but to its task. */
export function isBound(query = new URLSearchParams(location.search)): boolean {
  return query.has("key");
}

/** An address of the studio for the same participant; one that names its own keeps it. */
export function forParticipant(address: string, participant = participantOf(new URLSearchParams(location.search))): string {
  if (participant === null) return address;
  const [path, query = ""] = address.split("?");
  const asked = new URLSearchParams(query);
  if (!asked.has("participant")) asked.set("participant", participant);
  return `${path}?${asked}`;
}

export function go(address: string): void {
  history.pushState(null, "", forParticipant(address));
  dispatchEvent(new PopStateEvent("popstate"));
}

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

// Where a click leads inside the studio, or null where the browser should do what it does: other hosts, files to
// download, new tabs, anything that was handled already.
export function addressWithin(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return null;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link?.href || link.target || link.hasAttribute("download") || link.origin !== location.origin) return null;
  if (link.pathname.startsWith("/api/") || (link.hash && link.pathname === location.pathname)) return null;
  return link.pathname + link.search;
}
