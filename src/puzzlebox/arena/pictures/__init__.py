"""Pictures of recorded episodes: a camera that follows an animal, and the paths of animals."""
