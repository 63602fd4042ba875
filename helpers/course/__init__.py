"""What makes the notebooks work: state, lessons, checks, exercises, figures, commands. Nothing here is for copying."""
