"""A library of ops beyond the suite, by family: `specs.library.losses.mse_loss`."""
