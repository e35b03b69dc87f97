// The tags of things that rays hit: their names for readers, and colours to tell them apart.
const NAMES_AND_COLOURS: Record<string, [string, string]> = {
  arena: ["fence", "#9a7b57"],
  Immovable: ["wall or other fixed thing", "#7d8791"],
  Movable: ["block", "#b58a4a"],
  goodGoal: ["green food", "#3fa34d"],
  goodGoalMulti: ["golden food", "#d9a800"],
  badGoal: ["bad food", "#d2463c"],
  badGoalMulti: ["bad food (multi)", "#a8352f"],
  GoalSpawner: ["dispenser", "#8f5bb5"],
  DeathZone: ["death zone", "#b0122b"],
  HotZone: ["hot zone", "#e0711c"],
  DataZone: ["zone", "#4a90c2"],
  Ramp: ["ramp", "#c04fb0"],
  PillarButton: ["button", "#2f78d0"],
  SignPoster: ["sign", "#2a9c96"],
  DecoyGoal: ["decoy", "#9bb04a"],
  DecoyGoalBounce: ["decoy that bounces", "#9bb04a"],
  HollowObj: ["hollow box", "#8c6f52"],
  agent: ["another animal", "#e08aa0"],
};

export function tagName(tag: string): string {
  return NAMES_AND_COLOURS[tag]?.[0] ?? tag;
}

export function tagColour(tag: string): string {
  return NAMES_AND_COLOURS[tag]?.[1] ?? "#7d8791";
}
