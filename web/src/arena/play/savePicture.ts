// Save what is seen as a PNG file.
import type { ArenaView } from "../../scene/view";

export async function savePicture(view: ArenaView, title: string, step: number): Promise<string> {
  const picture = await view.picture();
  const name = `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "puzzlebox"}-${step}.png`;
  if (!picture) return "nothing";
  const address = URL.createObjectURL(picture);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return name;
}
