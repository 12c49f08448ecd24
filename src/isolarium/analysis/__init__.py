"""What a run's games show beyond who won: heat maps, charts, example games, and the report that holds them."""
