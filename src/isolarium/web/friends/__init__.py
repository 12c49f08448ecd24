"""Two persons who play each other by link: what they agreed on, what happened, who is there."""
