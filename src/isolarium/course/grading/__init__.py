"""What a teacher would say of somebody's agent of the course, each with the position that shows it."""
