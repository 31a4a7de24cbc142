"""HTTP for the API: connections, TLS, authentication, and watches as streams."""
