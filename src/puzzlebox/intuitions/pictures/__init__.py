"""Pictures of stimuli: shapes of our own drawing, a flat painter, a painter in three dimensions, films and sheets."""
