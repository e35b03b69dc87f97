"""Run benchmarks: `python -m benchmarks NAME...` measures speed, `python -m benchmarks calibration` the statistics."""

import sys

if __name__ == "__main__":
    # Imported here: the calibration needs numpy and scipy only, the benchmarks of speed everything.
    if sys.argv[1:2] == ["calibration"]:
        from benchmarks.calibration.runner import main as run_calibration

        run_calibration(sys.argv[2:])
    else:
        from benchmarks.speed import main

        main()
