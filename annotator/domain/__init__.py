"""The nouns of the field as frozen values. Standard library only; imports nothing of ours."""
