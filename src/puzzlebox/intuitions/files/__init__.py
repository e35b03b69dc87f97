"""Files of stimuli: JSON and films in the published layout, written and read; whole folders."""
