"""Options and inputs of questions: state, changes, and configuration."""
