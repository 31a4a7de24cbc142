"""The StatefulSet controller: numbered pods that keep their names and volumes."""
