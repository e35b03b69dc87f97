// A curve over time with no more points than can be seen: of each stretch its lowest and highest value.
export function curve(values: number[], low: number, high: number, width: number, height: number, most = 500): string {
  if (values.length === 0) return "";
  const span = high - low || 1;
  const last = Math.max(1, values.length - 1);
  const point = (place: number) =>
    `${((place / last) * width).toFixed(1)} ${(height - ((values[place] - low) / span) * height).toFixed(1)}`;
  const stretch = Math.max(1, Math.ceil(values.length / most));
  const points: string[] = [];
  for (let from = 0; from < values.length; from += stretch) {
    let lowest = from;
    let highest = from;
    for (let place = from; place < Math.min(values.length, from + stretch); place++) {
      if (values[place] < values[lowest]) lowest = place;
      if (values[place] > values[highest]) highest = place;
    }
    for (const place of new Set([Math.min(lowest, highest), Math.max(lowest, highest)])) points.push(point(place));
  }
  const end = point(values.length - 1);
  if (points[points.length - 1] !== end) points.push(end);
  return `M${points.join("L")}`;
}
