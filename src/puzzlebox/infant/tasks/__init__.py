"""The tasks of the toolkit, one file each: what is in the room, what is rewarded, when it ends, how hard it is."""
