"""The intuitions wing: what does this agent want? Pairs of films, one expected and one unexpected, as infants see them.

It rebuilds the Baby Intuitions Benchmark (docs/guides/intuitions.md): `episodes` generates stimuli, `files` writes and
reads the published layout, `pictures` draws them flat and in three dimensions, `audit` checks what was generated. Models
(docs/guides/intuitions-models.md) watch the films (`models`), and `scoring` says which films surprise them more.
"""
