// Numbers for whoever drives this page with a program (tests, measurements): `window.puzzlebox`.
import type { EpisodeMessage, LinkState } from "../connection";
import type { FrameMessage } from "../../scene/decode";
import type { ArenaView } from "../../scene/view";

export interface Told {
  frame: FrameMessage | null;
  episode: EpisodeMessage | null;
  viewName: string;
  unsaved: number;
  link: LinkState;
  waiting: boolean;
  finished: boolean;
}

/** Let them be read; gives a function that takes them away. */
export function expose(view: ArenaView, told: () => Told): () => void {
  const page = window as unknown as { puzzlebox?: object };
  const numbers = {
    get step() { return told().frame?.step ?? 0; },
    get key() { return told().frame?.key ?? 0; },
    get action() { return told().frame?.action ?? 0; },
    get health() { return told().frame?.health ?? 0; },
    get total() { return told().frame?.total ?? 0; },
    get left() { return told().frame?.left ?? -1; },
    get position() { return view.stats.position; },
    get heading() { return view.stats.heading; },
    get view() { return told().viewName; },
    get lights() { return view.stats.lights; },
    get dark() { return view.stats.dark; },
    get drawCalls() { return view.stats.draws; },
    get triangles() { return view.stats.triangles; },
    get scriptMilliseconds() { return view.stats.scriptMs; },
    get meanScriptMilliseconds() { return view.stats.meanScriptMs; },
    get framesDrawn() { return view.stats.frames; },
    get quality() { return view.stats.quality; },
    get episode() { return told().episode?.episode ?? null; },
    get arena() { return told().episode?.position ?? null; },
    get unsaved() { return told().unsaved; },
    get link() { return told().link; },
    get waiting() { return told().waiting; },
    get finished() { return told().finished; },
  };
  page.puzzlebox = Object.freeze(Object.defineProperty(numbers, "state", { value: numbers, enumerable: false }));
  return () => delete page.puzzlebox;
}
