"""A game in the terminal: who plays, the drawn board, and the conversation with a person."""
