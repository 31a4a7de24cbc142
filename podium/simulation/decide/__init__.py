"""`podium decide`: scenarios and questions as JSON lines in, decisions and answers out."""
