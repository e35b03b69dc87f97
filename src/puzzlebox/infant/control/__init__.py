"""Control of a child: primitives that animation carries out, targets of joints, and delays of nerves."""
