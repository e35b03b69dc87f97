/** Return the SVG path of a curve. If there are more than `most` values, each run of values is drawn as its lowest and highest. */
export function curvePath(values: number[], low: number, high: number, width: number, height: number, most = 500): string {
  if (values.length === 0) return "";
  const span = high - low || 1;
  const last = Math.max(1, values.length - 1);
  const point = (index: number) =>
    `${((index / last) * width).toFixed(1)} ${(height - ((values[index] - low) / span) * height).toFixed(1)}`;
  const run = Math.max(1, Math.ceil(values.length / most));
  const points: string[] = [];
  for (let from = 0; from < values.length; from += run) {
    let lowest = from;
    let highest = from;
    for (let index = from; index < Math.min(values.length, from + run); index++) {
      if (values[index] < values[lowest]) lowest = index;
      if (values[index] > values[highest]) highest = index;
    }
    for (const index of new Set([Math.min(lowest, highest), Math.max(lowest, highest)])) points.push(point(index));
  }
  const end = point(values.length - 1);
  if (points[points.length - 1] !== end) points.push(end);
  return `M${points.join("L")}`;
}
