"""The pages of the API, made from its OpenAPI document alone. No operation is named here."""
