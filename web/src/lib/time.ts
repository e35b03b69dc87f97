/** Physics steps in one second of an arena. */
export const STEPS_PER_SECOND = 50;
