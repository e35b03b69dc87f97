"""What an animal perceives: camera, rays, vitals and heading, each a `Sense` that looks at a World for one animal."""
