"""The pages of the wing in the studio: watching pairs beside what surprises an observer, and judging them."""
