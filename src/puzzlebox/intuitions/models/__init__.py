"""Models that watch films: an inverse planner that needs no training, published models rebuilt, and one of our own."""
