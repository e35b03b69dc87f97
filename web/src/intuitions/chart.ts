// Curves of surprise as SVG paths, and their scales.

export type Values = readonly (number | null)[];

/** Return the scale of some curves: from 0 to the highest value, or from the lowest one if 0 is far below all of them. */
export function extent(curves: Values[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const values of curves) {
    for (const value of values) {
      if (value === null) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) return [0, 1];
  // Curves that hardly differ from each other would be one straight line.
  if (low > 0.5 * high && low > 0) {
    const margin = 0.1 * (high - low) || 0.1 * high;
    return [low - margin, high + margin];
  }
  [low, high] = [Math.min(0, low), Math.max(0, high)];
  return high > low ? [low, high] : [low, low + 1];
}

/** Return a few round numbers from low to high. */
export function ticks(low: number, high: number, most = 4): number[] {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough - 1e-12) ?? 10);
  const found: number[] = [];
  for (let count = Math.ceil(low / step - 1e-9); count * step <= high + step * 1e-9; count++) found.push(count * step || 0);
  return found;
}

/** Return a number with three digits that matter, or with as many as are asked for. */
export function shortNumber(value: number, digits = 3): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1000 || size < 0.001 ? value.toExponential(Math.max(1, digits - 2)) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

/** Return numbers with as few digits as show which of them are equal: three, or more if others would look the same. */
export function distinctNumbers(values: number[]): string[] {
  const different = new Set(values).size;
  for (let digits = 3; digits < 10; digits++) {
    const texts = values.map((value) => shortNumber(value, digits));
    if (new Set(texts).size === different) return texts;
  }
  return values.map((value) => shortNumber(value, 10));
}

/** Return the path of a curve in a box; where nothing was judged there is a gap. */
export function path(values: Values, frames: number, [low, high]: [number, number], width: number, height: number): string {
  const across = width / Math.max(1, frames - 1);
  let pen = "M";
  const points: string[] = [];
  values.forEach((value, frame) => {
    if (value === null) {
      pen = "M";
      return;
    }
    // Of a straight run only the ends are drawn.
    const level = value === values[frame - 1] && value === values[frame + 1] && pen === "L";
    if (!level) points.push(`${pen}${(frame * across).toFixed(1)} ${(height - ((value - low) / (high - low)) * height).toFixed(1)}`);
    pen = "L";
  });
  return points.join("");
}

/** Return the frame below a place from 0 to 1 across the chart. */
export function frameAt(share: number, frames: number): number {
  return Math.max(0, Math.min(frames - 1, Math.round(share * (frames - 1))));
}
