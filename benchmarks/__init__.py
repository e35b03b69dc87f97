"""Speed, measured beside a peer in the same run. `make bench` prints one table and writes results/latest.json."""
