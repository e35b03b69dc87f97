// Curves of training: points over decisions, in the coordinates of a drawing.
import type { Column } from "./api";

export interface Point {
  step: number;
  value: number;
}

/** Return the points of a column; moments without a value are left out. */
export function pointsOf(steps: number[], values: Column | undefined): Point[] {
  const points: Point[] = [];
  steps.forEach((step, index) => {
    const value = values?.[index];
    if (typeof value === "number" && Number.isFinite(value)) points.push({ step, value });
  });
  return points;
}

/** Return the lowest and the highest value of several curves; they differ, so that a flat curve has a place. */
export function rangeOf(...curves: Point[][]): [number, number] {
  const values = curves.flat().map((each) => each.value);
  if (values.length === 0) return [0, 1];
  const low = Math.min(...values);
  const high = Math.max(...values);
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

/** Return the SVG path of a curve in a drawing of a width and height; the whole run has `steps` decisions. */
export function pathOf(points: Point[], steps: number, [low, high]: [number, number], width: number, height: number): string {
  const place = ({ step, value }: Point) =>
    `${((step / Math.max(1, steps)) * width).toFixed(1)} ${(height - ((value - low) / (high - low)) * height).toFixed(1)}`;
  return points.length === 0 ? "" : `M${points.map(place).join("L")}`;
}

/** Return a number of decisions as people say it: 400 k, 1.5 M. */
export function stepsText(steps: number): string {
  if (steps >= 1e6) return `${Number((steps / 1e6).toFixed(2))} M`;
  return steps >= 10_000 ? `${Number((steps / 1e3).toFixed(1))} k` : String(steps);
}

export function percentText(share: number | null): string {
  return share === null ? "–" : `${(100 * share).toFixed(0)} %`;
}
