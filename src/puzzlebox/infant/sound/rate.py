"""The rate of sound and the length of a frame."""

# Samples a second and ear.
SAMPLE_RATE = 44_100
# Samples of one control step of 1/15 s.
FRAME = 2_940
# Metres a second, in air of 20 degrees Celsius.
SPEED_OF_SOUND = 343.0
