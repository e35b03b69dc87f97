"""The intuitions wing: what does this agent want? Pairs of films, one expected and one unexpected, as infants see them.

It rebuilds the Baby Intuitions Benchmark (docs/guides/intuitions.md): `episodes` generates stimuli, `files` writes and
reads the published layout, `pictures` draws them flat and in three dimensions, `audit` checks what was generated.
`models` (docs/guides/intuitions-models.md) watch the films, and `scoring` says which of them surprise a model more.
"""
