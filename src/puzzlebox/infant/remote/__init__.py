"""Infant environments on another machine: a server, a client that is an ordinary environment, and their protocol."""
