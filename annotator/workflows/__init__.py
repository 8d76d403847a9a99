"""The loop: where a stage meets IO. Each workflow is a function that CLI and app both call."""
