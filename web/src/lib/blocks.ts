// Blocks of messages, as `join_messages` of the server writes them.

/** Yield the messages of a block, in which each follows its length. A JSON text begins with `{`, which is not a message kind. */
export function* splitMessages(bytes: ArrayBuffer): Generator<Uint8Array> {
  const view = new DataView(bytes);
  let at = 0;
  while (at + 4 <= bytes.byteLength) {
    const length = view.getUint32(at, true);
    if (at + 4 + length > bytes.byteLength) return; // the block was cut short in transit
    yield new Uint8Array(bytes, at + 4, length);
    at += 4 + length;
  }
}
