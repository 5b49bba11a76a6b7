"""A library of ops beyond the suite, by family: `from gradproof.specs.library.losses import mse_loss`."""
