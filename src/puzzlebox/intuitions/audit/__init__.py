"""The audit: measures and checks of stimuli, from what the files hold alone, and shortcut models."""
