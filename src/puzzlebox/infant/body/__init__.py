"""The body of a child: a table of bones, its growth, and the MuJoCo model that is stepped."""
