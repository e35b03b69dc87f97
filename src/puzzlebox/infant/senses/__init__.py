"""The senses of a child: skin, joints and muscles, balance, sight."""
