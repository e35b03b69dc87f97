// A frame that the server has written, for the test of the decoder; tests/infant/studio/test_infant_frames.py compares it.
export const FRAME_HEX = "0103030070110100050000000000003f0000a0bf030003000000803f000080becdcc4c3e0100feffff7f008000000400030000000102030000000001000000ff";
