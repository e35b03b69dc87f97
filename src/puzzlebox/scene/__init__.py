"""The lowest room: the vocabulary of shapes, colours and patterns that every painter understands."""
