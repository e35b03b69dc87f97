"""What an animal perceives: camera, rays and vitals, each a small class that looks at a World for one animal."""
