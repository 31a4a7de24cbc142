"""Options and inputs that questions share: state, changes, and configuration."""
