"""Whether a search finds the right passage: sets of questions through a whole fleet, figures, what they were before."""
