"""OpenAPI 2 and 3, generated from `podium.apiserver.schema` and the routes of requests."""
