// The values that the play page publishes as `window.puzzlebox` (docs/guides/playing.md).
import { publishState } from "../../lib/pageState";
import type { FrameMessage } from "../../scene/decode";
import type { ArenaView } from "../../scene/view";
import type { LinkState } from "../../lib/playConnection";
import type { EpisodeMessage } from "../connection";

export interface PlayState {
  frame: FrameMessage | null;
  episode: EpisodeMessage | null;
  viewName: string;
  unsaved: number;
  link: LinkState;
  waiting: boolean;
  finished: boolean;
}

/** Publish the state of the play page, read anew at each access; return a function that removes it. */
export function publishPlayState(view: ArenaView, read: () => PlayState): () => void {
  const state = {
    get step() { return read().frame?.step ?? 0; },
    get key() { return read().frame?.key ?? 0; },
    get action() { return read().frame?.action ?? 0; },
    get health() { return read().frame?.health ?? 0; },
    get total() { return read().frame?.total ?? 0; },
    get left() { return read().frame?.left ?? -1; },
    get position() { return view.stats.position; },
    get heading() { return view.stats.heading; },
    get view() { return read().viewName; },
    get lights() { return view.stats.lights; },
    get dark() { return view.stats.dark; },
    get drawCalls() { return view.stats.draws; },
    get triangles() { return view.stats.triangles; },
    get scriptMilliseconds() { return view.stats.scriptMs; },
    get meanScriptMilliseconds() { return view.stats.meanScriptMs; },
    get framesDrawn() { return view.stats.frames; },
    get quality() { return view.stats.quality; },
    get episode() { return read().episode?.episode ?? null; },
    get arena() { return read().episode?.position ?? null; },
    get unsaved() { return read().unsaved; },
    get link() { return read().link; },
    get waiting() { return read().waiting; },
    get finished() { return read().finished; },
  };
  return publishState(Object.freeze(Object.defineProperty(state, "state", { value: state, enumerable: false })));
}
