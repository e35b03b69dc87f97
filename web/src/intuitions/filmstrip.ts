// Films as the server paints them: for each trial a picture of every run of equal frames.
import { splitMessages } from "../lib/blocks";
import { request } from "../lib/api";

/** Return the index of the picture that shows a frame; `starts` are the first frames of the pictures, in order. */
export function pictureAt(starts: number[], frame: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= frame) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Pictures that are decoded at the same time, at most; a decoded one takes half a megabyte. */
const MOST_DECODED = 64;
/** Pictures that are decoded ahead of the one that is shown. */
const AHEAD = 4;

/** Pictures in a block: a JSON header, then one PNG file each. They are decoded when they are needed. */
export class Pictures {
  readonly header: Record<string, unknown>;
  readonly files: Blob[];
  private decoded = new Map<number, Promise<ImageBitmap>>();

  constructor(bytes: ArrayBuffer) {
    const [header, ...files] = splitMessages(bytes);
    if (header === undefined) throw new Error("The film is incomplete.");
    this.header = JSON.parse(new TextDecoder().decode(header));
    this.files = files.map((file) => new Blob([file as BlobPart], { type: "image/png" }));
  }

  /** Return a picture, decoded; the next few are decoded as well. */
  picture(index: number): Promise<ImageBitmap> {
    for (let next = index + 1; next <= Math.min(index + AHEAD, this.files.length - 1); next++) void this.decode(next);
    return this.decode(index);
  }

  private decode(index: number): Promise<ImageBitmap> {
    let picture = this.decoded.get(index);
    if (picture === undefined) {
      picture = createImageBitmap(this.files[index]);
      picture.catch(() => this.decoded.delete(index));
    } else this.decoded.delete(index); // it becomes the newest
    this.decoded.set(index, picture);
    while (this.decoded.size > MOST_DECODED) {
      const [oldest, old] = this.decoded.entries().next().value!;
      this.decoded.delete(oldest);
      void old.then((bitmap) => bitmap.close(), () => undefined);
    }
    return picture;
  }
}

/** One trial of a film. */
export class TrialPictures extends Pictures {
  readonly frames: number;
  readonly starts: number[];
  /** The number of frames of each trial of the film. */
  readonly lengths: number[];

  constructor(bytes: ArrayBuffer) {
    super(bytes);
    this.frames = Number(this.header.frames);
    this.starts = this.header.starts as number[];
    this.lengths = this.header.lengths as number[];
    if (this.starts.length !== this.files.length) throw new Error("The film is incomplete.");
  }

  /** Return the index of the picture of a frame; after the last frame the film stands still. */
  index(frame: number): number {
    return pictureAt(this.starts, Math.min(frame, this.frames - 1));
  }
}

/** A film whose trials are fetched when they are needed; `addressOf` returns the address of a trial. */
export class Filmstrip {
  private trials = new Map<string, Promise<TrialPictures>>();
  private loaded = new Map<string, TrialPictures>();

  constructor(private addressOf: (trial: number) => string) {}

  /** Return a trial; one that could not be fetched is fetched again the next time. */
  trial(number: number): Promise<TrialPictures> {
    const address = this.addressOf(number);
    let trial = this.trials.get(address);
    if (trial === undefined) {
      trial = request(address)
        .then((response) => response.arrayBuffer())
        .then((bytes) => {
          const pictures = new TrialPictures(bytes);
          this.loaded.set(address, pictures);
          return pictures;
        });
      trial.catch(() => this.trials.delete(address));
      this.trials.set(address, trial);
    }
    return trial;
  }

  ready(number: number): boolean {
    return this.loaded.has(this.addressOf(number));
  }
}
