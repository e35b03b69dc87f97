// The binary message about one control step (docs/reference/studio-protocol.md); the server writes it in
// puzzlebox/infant/studio/frames.py.

export const FrameFlag = { OVER: 1, PASSED: 2, WAITING: 4, PAUSED: 8 } as const;
const KIND = 1;
const HEAD_BYTES = 24;

export interface Frame {
  flags: number; // FrameFlag
  step: number;
  key: number; // the last `keys` message that counted
  reward: number;
  total: number;
  /** All numbers of the action of this step; none before the first one. */
  action: number[];
  /** What each ear heard in this step. */
  left: Int16Array;
  right: Int16Array;
  /** PNG files: from outside, left and right eye, skin from the front and from behind; none if the page was slow. */
  pictures: Uint8Array<ArrayBuffer>[];
}

export function decodeFrame(buffer: ArrayBuffer): Frame {
  const view = new DataView(buffer);
  if (view.byteLength < HEAD_BYTES || view.getUint8(0) !== KIND) throw new Error("This is not a frame of an infant task.");
  const actions = view.getUint16(2, true);
  const samples = view.getUint16(20, true);
  const pictures = view.getUint16(22, true);
  let place = HEAD_BYTES;
  const action = [...new Float32Array(buffer, place, actions)];
  place += 4 * actions;
  const left = new Int16Array(buffer, place, samples);
  const right = new Int16Array(buffer, place + 2 * samples, samples);
  place += 4 * samples;
  const files: Uint8Array<ArrayBuffer>[] = [];
  for (let i = 0; i < pictures; i++) {
    const length = view.getUint32(place, true);
    files.push(new Uint8Array(buffer, place + 4, length));
    place += 4 + length;
  }
  if (place !== view.byteLength) throw new Error(`A frame has ${view.byteLength} bytes; ${place} were expected.`);
  const [flags, step, key] = [view.getUint8(1), view.getUint32(4, true), view.getUint32(8, true)];
  return { flags, step, key, reward: view.getFloat32(12, true), total: view.getFloat32(16, true), action, left, right, pictures: files };
}
