"""Learners of other libraries, behind the face of `puzzlebox.learn.learners.learner.Learner`."""
