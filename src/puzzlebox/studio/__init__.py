"""The studio: a local web application to play, watch and record. The World runs here; the page draws it."""
