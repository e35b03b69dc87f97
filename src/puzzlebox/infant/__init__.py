"""The infant wing: a child's body in MuJoCo, with its senses."""
