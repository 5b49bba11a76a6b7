"""The command while workers die, solvers crash, disks are full and runs meet."""
