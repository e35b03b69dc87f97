import type { ArenaView } from "../../scene/view";

/** Save the current picture as a PNG file; return the name of the file, or null if there is no picture. */
export async function savePicture(view: ArenaView, title: string, step: number): Promise<string | null> {
  const picture = await view.picture();
  if (!picture) return null;
  const name = `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "puzzlebox"}-${step}.png`;
  const address = URL.createObjectURL(picture);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return name;
}
