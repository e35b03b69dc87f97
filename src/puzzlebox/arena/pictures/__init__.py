"""Pictures of recorded episodes: a camera that follows an animal, and the ways animals went."""
