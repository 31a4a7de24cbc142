"""How DynamicResources judges nodes, also as if some of their pods were gone."""
